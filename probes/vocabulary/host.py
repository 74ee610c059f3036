"""Facts about the machine around the cards."""

from probes.vocabulary.declare import FactType as F

FACTS = (
    F("host.os", "str", "操作系统", "operating system", choices=("linux", "windows", "macos")),
    F("host.distribution", "str", "系统发行版", "distribution"),
    F("host.kernel", "str", "内核版本", "kernel"),
    F("host.virtualisation", "str", "虚拟化", "virtualisation", choices=("none", "vm", "wsl2", "container"),
      ask_zh="systemd-detect-virt", ask_en="systemd-detect-virt"),
    F("host.in_container", "bool", "在容器中运行", "runs in a container"),
    F("host.orchestrator", "str", "编排系统", "orchestrator", choices=("docker", "kubernetes", "slurm", "ray", "systemd")),
    F("host.start_limit_s", "float", "多久未就绪会被编排系统杀掉", "time until the orchestrator kills a server that is not ready", "s"),
    F("host.nodes", "int", "节点数", "machines in the cluster"),
    F("host.cpu_model", "str", "CPU 型号", "CPU model", ask_zh="lscpu", ask_en="lscpu"),
    F("host.cpu_cores", "float", "可用 CPU 核数（含配额）", "CPU cores allowed (quota included)", "cores", ask_zh="nproc", ask_en="nproc"),
    F("host.cpu_cores_total", "int", "机器 CPU 核数", "CPU cores of the machine", "cores", ask_zh="nproc --all", ask_en="nproc --all"),
    F("host.cpu_utilization_pct", "float", "CPU 利用率", "CPU busy", "%", ask_zh="top -b -n 1 | head -20", ask_en="top -b -n 1 | head -20"),
    F("host.one_core_saturated", "bool", "单核跑满", "one core is saturated", ask_zh="top -H", ask_en="top -H"),
    F("host.cpu_throttled_ratio", "float", "被 CPU 配额节流的周期占比", "share of periods throttled by the CPU quota"),
    F("host.cpu_pressure_pct", "float", "CPU 压力（PSI some）", "CPU pressure (PSI some)", "%"),
    F("host.cpu_flags_avx", "bool", "CPU 支持 AVX2", "the CPU has AVX2"),
    F("host.load_per_core", "float", "每核负载", "load per core"),
    F("host.steal_pct", "float", "被宿主机偷走的 CPU 时间", "CPU time stolen by the hypervisor", "%"),
    F("host.governor", "str", "CPU 调频策略", "CPU frequency governor"),
    F("host.numa_nodes", "int", "NUMA 节点数", "NUMA nodes"),
    F("host.memory_total_gib", "float", "主机内存", "host memory", "GiB", ask_zh="free -g", ask_en="free -g"),
    F("host.memory_available_gib", "float", "可用主机内存", "host memory available", "GiB", ask_zh="free -g", ask_en="free -g"),
    F("host.swap_used_gib", "float", "已用交换空间", "swap in use", "GiB", ask_zh="free -g", ask_en="free -g"),
    F("host.shm_gib", "float", "/dev/shm 大小", "size of /dev/shm", "GiB", ask_zh="df -h /dev/shm", ask_en="df -h /dev/shm"),
    F("host.disk_kind", "str", "模型所在存储", "storage of the model", choices=("nvme", "ssd", "hdd", "network", "other")),
    F("host.disk_read_mbs", "float", "模型存储读速度", "read speed of the model's storage", "MB/s"),
    F("host.foreign_busy_cores", "float", "其他进程占用的核数", "cores used by other processes", "cores"),
)
