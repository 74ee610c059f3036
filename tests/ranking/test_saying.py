from kb.saying import said

SMI = "|   0  NVIDIA GeForce RTX 4090        Off | 00000000:01:00.0 Off |                  Off |\n| 30%   45C    P2              120W / 450W |  21504MiB / 24564MiB |     98%      Default |"


def test_a_persons_words_stay_as_they_are():
    assert said("首字很慢 怎么办") == "首字很慢 怎么办"


def test_what_tools_print_in_any_case_is_left_out():
    text = f'it is slow\n{SMI}\nvllm:num_requests_running{{model_name="m"}} 3.0\nplease help'
    assert "4090" not in said(text)
    assert "num_requests_running" not in said(text)
    assert said(text).split("\n")[0] == "it is slow"
    assert said(text).strip().endswith("please help")


def test_of_a_log_the_lines_that_complain_stay():
    log = "INFO 12-01 10:00:00 [core.py:70] Initializing a V1 LLM engine\nERROR 12-01 10:00:01 [core.py:99] worker died"
    assert said(log) == "ERROR 12-01 10:00:01 [core.py:99] worker died"


def test_a_command_counts_as_said():
    assert "--enable-lora" in said("vllm serve m --enable-lora")


def test_tool_output_alone_says_nothing():
    assert said('vllm:num_requests_running{model_name="m"} 3.0\n') == ""
