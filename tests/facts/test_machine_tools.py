"""Tools of the machine: other forms of nvidia-smi, reports of an environment, load and links."""

import pytest

from kb.facts import extract
from kb.judgement import Submission

XML = """<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
	<driver_version>550.90.07</driver_version>
	<cuda_version>12.4</cuda_version>
	<gpu id="00000000:41:00.0">
		<product_name>NVIDIA L40S</product_name>
		<persistence_mode>Disabled</persistence_mode>
		<mig_mode>
			<current_mig>N/A</current_mig>
		</mig_mode>
		<pci>
			<pci_gpu_link_info>
				<pcie_gen>
					<max_link_gen>4</max_link_gen>
					<current_link_gen>1</current_link_gen>
				</pcie_gen>
				<link_widths>
					<max_link_width>16x</max_link_width>
					<current_link_width>8x</current_link_width>
				</link_widths>
			</pci_gpu_link_info>
		</pci>
		<performance_state>P8</performance_state>
		<clocks_event_reasons>
			<clocks_event_reason_gpu_idle>Not Active</clocks_event_reason_gpu_idle>
			<clocks_event_reason_sw_power_cap>Active</clocks_event_reason_sw_power_cap>
		</clocks_event_reasons>
		<fb_memory_usage>
			<total>46068 MiB</total>
			<used>40960 MiB</used>
		</fb_memory_usage>
		<utilization>
			<gpu_util>37 %</gpu_util>
		</utilization>
		<gpu_power_readings>
			<power_draw>88.40 W</power_draw>
			<current_power_limit>200.00 W</current_power_limit>
			<default_power_limit>350.00 W</default_power_limit>
		</gpu_power_readings>
	</gpu>
</nvidia_smi_log>
"""


def known(text: str):
    return extract(Submission(text))


def test_xml():
    facts = known(XML)
    expected = {
        "gpu.name": "L40S", "gpu.count": 1, "gpu.driver_version": "550.90.07", "gpu.pcie_gen": 1, "gpu.pcie_gen_max": 4,
        "gpu.pcie_width": 8, "gpu.pcie_width_max": 16, "gpu.pstate": 8, "gpu.throttle_reason": "sw_power_cap",
        "gpu.memory_used_gib": 40, "gpu.utilization_pct": 37, "gpu.power_w": 88.4, "gpu.power_limit_w": 200,
        "gpu.power_default_limit_w": 350, "gpu.persistence_mode": False,
    }  # fmt: skip
    assert {name: facts.value(name) for name in expected} == expected


def test_a_part_of_the_xml_is_enough():
    facts = known(XML[XML.index('<gpu id="') : XML.index("<utilization>")])
    assert facts.value("gpu.pcie_gen") == 1
    assert facts.value("gpu.name") == "L40S"


def test_an_entity_of_the_xml_is_not_resolved():
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>\n' + XML.replace(
        "NVIDIA L40S", "&b;"
    )
    assert "aaaa" not in str([fact.value for fact in known(bomb)])


def test_csv_of_a_query():
    facts = known(
        "index, name, driver_version, memory.total [MiB], memory.used [MiB], utilization.gpu [%], pcie.link.gen.current\n"
        "0, NVIDIA A100-SXM4-80GB, 535.161.08, 81920 MiB, 70656 MiB, 98 %, 4\n"
        "1, NVIDIA A100-SXM4-80GB, 535.161.08, 81920 MiB, 512 MiB, 0 %, 4\n"
    )
    assert facts.value("gpu.count") == 2
    assert facts.value("gpu.name") == "A100 80G SXM"
    assert {fact.subject: fact.value for fact in facts.all("gpu.utilization_pct")} == {"gpu:0": 98, "gpu:1": 0}
    assert facts.value("gpu.driver_version") == "535.161.08"


def test_dmon_is_read_as_the_mean_of_its_window():
    facts = known(
        "# gpu   pwr gtemp mtemp    sm   mem   enc   dec  mclk  pclk\n# Idx     W     C     C     %     %     %     %   MHz   MHz\n"
        "    0   120    60     -    40    30     0     0  9501  1800\n    0   140    62     -    60    50     0     0  9501  1700\n"
    )
    assert facts.value("gpu.power_w") == 130
    assert facts.value("gpu.utilization_pct") == 50
    assert facts.value("gpu.memory_utilization_pct") == 40
    assert facts.value("gpu.sm_clock_mhz") == 1750


@pytest.mark.parametrize(("cell", "reach"), [("OK", True), ("CNS", False), ("NS", False)])
def test_the_matrix_of_peer_to_peer(cell, reach):
    assert known(f" \tGPU0\tGPU1\n GPU0\tX\t{cell}\n GPU1\t{cell}\tX\n").value("gpu.p2p") is reach


@pytest.mark.parametrize(("line", "linked"), [("Link 0: 25 GB/s", True), ("Link 0: <inactive>", False)])
def test_links_of_nvlink(line, linked):
    assert known(f"GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-1)\n\t {line}\n").value("gpu.nvlink") is linked


COLLECT_ENV = """Collecting environment information...
PyTorch version: 2.5.1+cu124
Is debug build: False
OS: Ubuntu 22.04.4 LTS (x86_64)
Is CUDA available: True
GPU models and configuration:
GPU 0: NVIDIA H20
GPU 1: NVIDIA H20

Nvidia driver version: 550.127.08
CPU:
Model name:                         Intel(R) Xeon(R) Platinum 8469C
NUMA node(s):                       2
Versions of relevant libraries:
[pip3] numpy==1.26.4
[pip3] torch==2.5.1
vLLM Version: 0.7.3
"""


def test_a_report_of_the_environment():
    facts = known(COLLECT_ENV)
    assert facts.value("gpu.visible") is True
    assert facts.value("gpu.name") == "H20"
    assert facts.value("gpu.count") == 2
    assert facts.value("gpu.driver_version") == "550.127.08"
    assert facts.value("engine.name") == "vllm"
    assert facts.value("engine.version") == "0.7.3"
    assert facts.value("host.numa_nodes") == 2
    assert facts.value("host.distribution").startswith("Ubuntu 22.04")


def test_a_torch_without_cuda_sees_no_gpu():
    assert known("PyTorch version: 2.3.0+cpu\nIs CUDA available: False\n").value("gpu.visible") is False


@pytest.mark.parametrize(
    ("listed", "engine", "version"),
    [
        ("torch==2.6.0\nvllm==0.8.4\nxgrammar==0.1.17\n", "vllm", "0.8.4"),
        ("Package    Version\n---------- -------\nsglang     0.4.6\ntorch      2.6.0\n", "sglang", "0.4.6"),
        ("vllm==0.8.4\nsglang==0.4.6\n", None, None),
    ],
)
def test_the_only_engine_among_packages(listed, engine, version):
    facts = known(listed)
    assert (facts.value("engine.name"), facts.value("engine.version")) == (engine, version)


TOP = """top - 10:00:01 up 3 days,  2:11,  1 user,  load average: 1.21, 1.10, 1.05
Tasks: 412 total,   2 running, 410 sleeping,   0 stopped,   0 zombie
%Cpu(s):  3.4 us,  0.3 sy,  0.0 ni, 95.8 id,  0.0 wa,  0.0 hi,  0.1 si,  0.4 st
MiB Mem : 257561.6 total,  10321.2 free,  40123.4 used, 207117.0 buff/cache

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
  31337 svc       20   0   93.1g   9.8g   1.2g R  99.7   3.9  81:11.03 VLLM::EngineCore
"""


def test_top_shows_one_busy_core_on_an_idle_machine():
    facts = known(TOP)
    assert facts.value("host.one_core_saturated") is True
    assert facts.value("host.cpu_utilization_pct") == pytest.approx(4.2)
    assert facts.value("host.steal_pct") == 0.4


def test_a_busy_process_on_a_busy_machine_is_no_saturated_core():
    assert known(TOP.replace("95.8 id", " 1.0 id")).best("host.one_core_saturated") is None


LSPCI = """41:00.0 3D controller: NVIDIA Corporation AD102GL [L40S] (rev a1)
		LnkCap:	Port #0, Speed 16GT/s, Width x16, ASPM L0s L1
		LnkSta:	Speed 2.5GT/s (downgraded), Width x4 (downgraded)
42:00.0 Ethernet controller: Example
		LnkSta:	Speed 8GT/s, Width x8
"""


def test_a_link_that_was_trained_down():
    facts = known(LSPCI)
    assert facts.value("gpu.pcie_gen") == 1
    assert facts.value("gpu.pcie_width") == 4
    assert facts.value("gpu.pcie_gen_max") == 4
    assert facts.value("gpu.pcie_width_max") == 16


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2 3\n", "host.numa_nodes", 2),
        ("1073741824 bytes (1.1 GB, 1.0 GiB) copied, 9.1 s, 118 MB/s\n", "host.disk_read_mbs", 118),
        ("1073741824字节（1.1 GB，1.0 GiB）已复制，9.1 秒，118 MB/秒\n", "host.disk_read_mbs", 118),
        ("   READ: bw=2000MiB/s (2097MB/s), 2000MiB/s-2000MiB/s\n", "host.disk_read_mbs", pytest.approx(2097.152)),
        ("10.0.0.5:/export/models on /models type nfs4 (rw,relatime)\n", "host.disk_kind", "network"),
        ("10.0.0.5:/export  2.0T  1.1T  900G  55% /mnt/models\n", "host.disk_kind", "network"),
        ("$ systemd-detect-virt\nkvm\n", "host.virtualisation", "vm"),
        ("Linux box 5.15.153.1-microsoft-standard-WSL2 #1 SMP x86_64 GNU/Linux\n", "host.virtualisation", "wsl2"),
        (
            "$ cat /proc/pressure/cpu\nsome avg10=41.20 avg60=39.00 avg300=12.00 total=1\n",
            "host.cpu_pressure_pct",
            41.2,
        ),
        ("$ cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor\npowersave\n", "host.governor", "powersave"),
    ],
)
def test_small_tools(text, name, value):
    assert known(text).value(name) == value
