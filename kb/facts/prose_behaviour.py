"""What people say about behaviour: what it looks like, when it happens, what makes it better or worse. Pure.

    batch调到4反而更慢    -> observed.slower_with_batch
    单请求正常,并发就慢   -> observed.fine_when_single, observed.slower_with_batch

A pattern is searched within one sentence; what is denied or asked is not stated.
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector
from kb.facts.prose import polarity, sentences
from probes.facts import Fact

KIND = "prose_behaviour"

_SLOW = r"(?:慢|降|掉|差|下降|slow|drops?|dropped|decreas|degrad|worse|falls|fell|collaps|crawl)"
_MANY = r"(?:并发|多(?:个|路|人|用户)|batch(?:[ _]?size)?|批量|批大小|concurren|simultaneous|parallel requests|several (?:users|requests|clients)|multiple (?:users|requests|clients))"
_SERVER = r"(?:跑|运行|服务|生成|server|engine|service|runs?|works?)"
_GAP = r"[^。;\n]{0,24}?"
_VERSION = r"v\d+\.\d+(?:\.\w+)*|(?:version|版本) ?\d+\.\d+(?:\.\w+)*|\d+\.\d+\.\d+(?:\.?(?:post|rc|dev)\d+)?"
_NARROW = r"[^。;,\n]{0,14}?"

OBSERVED: tuple[tuple[str, str], ...] = (
    ("slower_with_batch", rf"(?:batch(?:[ _]?size)?|批量|并发(?:数|量)?|batching|concurrency){_NARROW}(?:调|加|增|提|变|改|开|设|上|一多|大|高|increas|rais|larger|bigger|higher){_NARROW}(?:反而)?{_NARROW}(?:更|越|就|变|很|明显)?{_SLOW}"),
    ("slower_with_batch", rf"{_MANY}{_GAP}(?:就|反而|会|every request|each request|all|too|much|requests?){_NARROW}{_SLOW}"),
    ("slower_with_batch", rf"(?:slower|slows down|worse|drops?) (?:with|when|under|at|as) {_GAP}(?:larger|bigger|higher|more|concurren|batch|load|parallel)"),
    ("slower_with_batch", r"batch(?:[ _]?size)? (?:of )?\d+" + _NARROW + r"(?:slower|worse) than" + _NARROW + r"(?:batch(?:[ _]?size)? )?(?:of )?1\b"),
    ("fine_when_single", r"(?:单(?:个|条|路)?(?:请求|并发|用户|条)|一个请求|并发(?:为|是)?\s?1\b)" + _GAP + r"(?:正常|没问题|很?快|都?是?好的|没事|ok)"),
    ("fine_when_single", r"(?:single|one) (?:request|user|client|stream|prompt)s?(?: alone| at a time)?" + _GAP + r"(?:is|works?|are|runs?|was) (?:fine|ok|fast|good|normal|well|quick)"),
    ("tp_without_effect", r"(?:tensor[-_ ]?parallel\w*(?:[-_ ]size)?|张量并行|\bTP\b)" + _GAP + r"(?:没(?:有|啥|什么)?(?:变化|区别|效果|差别|用|改善|提升)|一样慢|都一样|makes? no difference|no (?:difference|change|effect|improvement)|same speed|did ?n[o']t help|doesn't help)"),
    ("tp_slower", r"(?:双卡|多卡|两张卡|两卡|四卡|多张|TP ?=? ?[2-8]|张量并行)" + _GAP + r"(?:比单卡|反而)" + _GAP + r"慢"),
    ("tp_slower", r"单卡" + _GAP + r"(?:比(?:双|多|两|四)张?卡|更|反而)" + _GAP + r"快"),
    ("tp_slower", r"(?:two|multiple|several|more|four|both|2|4|8) (?:GPUs?|cards)" + _GAP + r"(?:are |is |run |runs )?slower(?: than)?"),
    ("tp_slower", r"(?:single|one) (?:GPU|card)" + _GAP + r"(?:is |was |runs )?(?:faster|twice as fast)"),
    ("only_multi_gpu", r"(?:只有|仅|一旦|但是?|而)?(?:多卡|双卡|两张卡|TP ?[>=]{1,2} ?[2-8]|tensor[- _]parallel\w*(?: size)?(?: is| of|=| greater than| >)?[^。;,\n]{0,6}[1-8](?: or more)?)" + _NARROW + r"(?:才|就|hangs?|fails?|crash\w*|outputs? (?:nonsense|garbage)|卡住|卡死|报错|挂|乱码)"),
    ("only_multi_gpu", r"(?:单卡|single GPU|one GPU|tensor[- _]parallel\w*(?: size)? 1|TP ?= ?1|with 1 the)" + _GAP + r"(?:正常|没问题|works?|fine|perfect|starts successfully|可以)"),
    ("only_multi_node", r"(?:多机|跨机|双机|跨节点|multi-?node|across (?:nodes|machines)|two nodes|second node)" + _GAP + r"(?:卡|慢|失败|报错|hang|fail|crash|timeout|slow)"),
    ("first_request_slow", r"(?:第一(?:次|个|条)|首(?:次|个))(?:请求|推理|调用|生成|对话)?" + _GAP + r"(?:慢|很?久|卡|秒)" ),
    ("first_request_slow", r"(?:first|initial) (?:request|call|inference|prompt|generation|query)" + _GAP + r"(?:slow|takes|long|hangs|stall|seconds|minutes)"),
    ("degrades_over_time", r"越(?:跑|来|用|往后)" + _NARROW + r"越慢|越来越慢|(?:跑|运行|过)(?:了)?(?:一段时间|几(?:个)?小时|几天|一阵|久了)" + _GAP + r"(?:慢|卡|掉速)"),
    ("degrades_over_time", r"(?:slower and slower|gets? slower (?:over time|as|with time|after|the longer)|degrades? over time|progressively slower|after (?:some|a few|several) (?:hours|days)" + _GAP + r"(?:slow|drop|degrad))"),
    ("intermittent", r"时快时慢|时好时坏|偶尔|间歇|有时(?:候)?|不稳定|忽快忽慢|intermittent\w*|sometimes|occasionally|from time to time|sporadic\w*|randomly|flaky"),
    ("after_upgrade", r"(?:升级|更新)(?:了|到|成|完|之?后|以后|过)|(?:从|由)\s?v?\d[\d.]+" + _NARROW + r"(?:升|更新|换)"),
    ("after_upgrade", r"(?:after|since|when) (?:the |I |we |an? )?(?:upgrad\w+|updat\w+|mov(?:ed|ing) to|switch\w+ to (?:v|version )?\d)|upgrad\w+ (?:from|to) v?\d|since v?(?:ersion )?(?:vllm )?\d+\.\d+|earlier versions? (?:run|work|of)|works? (?:fine )?(?:in|with|on) (?:v|the (?:old|previous))"),
    ("after_idle", r"(?:空闲|闲置|没有请求|没人用)" + _NARROW + r"(?:后|久|时间)|(?:after|when) (?:being |it (?:is|was|has been) |the server (?:is|was) )?(?:idle|some idle|a period of inactivity|inactivity)|idl(?:e|ing) for"),
    ("after_reboot_fixed", r"重启(?:机器|服务器|主机|系统|电脑)?(?:之?后|一下|就)?" + _NARROW + r"(?:好了|正常|恢复)|(?:reboot\w*|restart\w* the (?:machine|host|server))" + _NARROW + r"(?:fix\w*|help\w*|cures?|resolv\w*|solves?|is fast again|normal again)"),
    ("long_prompts_slow", r"(?:长(?:提示|文本|上下文|输入|prompt)|上下文(?:一|越|变)?长|输入(?:越|一|很|太)?长)" + _GAP + r"慢|(?:long|longer|large|big) (?:input|prompt|context|document)s?" + _GAP + r"(?:slow|takes|bottleneck|seconds)"),
    ("quant_slower_than_fp16", r"(?:量化|int[48]|gptq|awq|4bit|8bit)" + _GAP + r"(?:比|反而)" + _GAP + r"慢|(?:quantiz\w+|quantis\w+|gptq|awq|int[48]|4-?bit|8-?bit|fp8|nvfp4)" + _GAP + r"slower than" + _NARROW + r"(?:fp16|bf16|half|full|unquanti|original)"),
    ("other_engine_faster", r"(?:ollama|llama\.?cpp|transformers|hf|huggingface|exllama\w*|tgi|sglang|lmdeploy|vllm)" + _NARROW + r"(?:快|faster|runs? at|gives?|gets)" + _NARROW + r"(?:得多|很多|倍|times|much|than|\d+ ?tok)"),
    ("cpu_busy_gpu_idle", r"(?:GPU)" + _GAP + r"(?:\b[0-5]?\d%|闲|idle|low)" + _GAP + r"CPU" + _NARROW + r"(?:飙|满|高|[7-9]\d%|100%|high|busy|pegged|maxed)|CPU" + _NARROW + r"(?:满|100%|9\d%|飙|busy|pegged|single)" + _GAP + r"GPU" + _NARROW + r"(?:闲|低|idle|low|unused|没|\b[0-5]?\d%)"),
    ("gpu_idle", r"GPU(?:s)?(?:的)?\s?(?:利用率|使用率|util\w*|usage)?" + _NARROW + r"(?:几乎(?:是|为)?(?:0|没)|(?:为|是|只有)?\s?\b0 ?%|基本(?:没|不)动|闲着|空闲|hardly used|is idle|idles?\b|barely used|not (?:being )?used|near zero)|(?:barely|never|hardly) uses? the GPU|没(?:有)?(?:用到|用上|使用) ?(?:GPU|显卡)|(?:uses?|runs? on|using) (?:the )?CPU only|only (?:the )?CPU"),
    ("gpu_full_but_slow", r"GPU(?:s)?(?:的)?\s?(?:利用率|使用率|util\w*|usage)?" + _NARROW + r"(?:100 ?%|9[5-9] ?%|满载|跑满|打满)" + _GAP + r"(?:慢|slow|\d ?tok)|(?:slow|慢)" + _GAP + r"GPU" + _NARROW + r"(?:100 ?%|满载|跑满)"),
    ("one_gpu_at_a_time", r"(?:轮流|交替|依次)(?:工作|跑|使用|占用)|one (?:GPU|card) at a time|(?:take|taking) turns|one after (?:another|the other).{0,20}GPU|GPUs?.{0,30}(?:one after (?:another|the other)|alternat\w+)"),
    ("one_gpu_busy", r"只有(?:一张|一块|1张|第一张|一个)(?:卡|显卡|GPU)?" + _NARROW + r"(?:在|有|工作|忙|跑|负载)|only one (?:of the )?(?:GPU|card)s?" + _NARROW + r"(?:is |are )?(?:busy|used|working|active|loaded)"),
    ("tokens_arrive_at_once", r"(?:流式|stream\w*)" + _GAP + r"(?:一次性|一下子|一股脑|同时(?:返回|到|输出)|all at once|at the same time|in one (?:go|chunk|piece)|arrive together|buffer)|(?:一次性|一下子)(?:返回|输出|全部)|(?:everything|all (?:the )?(?:tokens|chunks|text)) (?:arrives?|comes?|appears?)" + _NARROW + r"(?:at once|same time|at the end|together)"),
    ("garbled", r"乱码|胡言乱语|感叹号|!!!!|输出(?:全是|都是|一堆|异常|混乱|错乱)|牛头不对马嘴|gibberish|garbled|garbage (?:output|text|tokens)|nonsens\w*|outputs? (?:garbage|rubbish|random)|exclamation marks|random characters"),
    ("repeats", r"停不下来|不停(?:地)?(?:输出|生成|重复)|一直(?:重复|输出|生成)|无限(?:重复|循环|输出)|重复(?:输出|生成|内容|同|一)|复读|(?:does ?n[o']t|never|not|won't) stop(?:s|ping)?(?: generating)?|keeps? (?:going|generating|repeating)|repeat(?:s|ing)? (?:itself|the same|forever|endlessly)|repetition loop|endless(?:ly)?"),
    ("empty_output", r"(?:输出|返回|回复|内容|content)" + _NARROW + r"(?:为空|是空|空的|空字符串|空白)|empty (?:output|response|answer|string|content|completion)|(?:content|output|response|text) is (?:empty|null|blank)|returns? nothing"),
    ("truncated", r"截断|没(?:有)?(?:说|输出|回答|生成)完|(?:输出|回答|回复)(?:到|一半|被)" + _NARROW + r"(?:断|停|中断)|cut off|truncat\w+|incomplete (?:answer|output|response)s?|stops? (?:in the middle|mid)"),
    ("hangs_at_start", r"(?:启动|加载|初始化|load\w*|start\w*|initiali[sz]\w*|launch\w*|captur\w+)" + _GAP + r"(?:卡住|卡在|卡死|不动|没反应|hangs?\b|stuck|freez\w*|never (?:finish|gets|complet)\w*|stays at|waiting for)|(?:hangs?|stuck|卡在|freezes) (?:at|on|during|while|when|after|in)?" + _NARROW + r"(?:start|load|init|captur|launch|启动|加载|NCCL)"),
    ("hangs_under_load", r"(?:跑着|运行|推理|请求|并发|压测)" + _GAP + r"(?:卡死|卡住|假死|没响应|无响应|不再响应)|(?:under load|during inference|after (?:some|a few|several|many) requests|while serving|server|requests?)" + _NARROW + r"(?:hangs?\b|freez\w*|stops? respond\w*|becomes? unresponsive|stuck)"),
    ("crashes_under_load", r"(?:跑着|运行|推理|请求|并发|压测)" + _GAP + r"(?:崩溃|崩了|挂了|挂掉|退出|宕)|(?:under load|during inference|requests?|server|engine|serving)" + _NARROW + r"(?:crash\w*|dies|died|killed)"),
    ("fits_on_paper", r"(?:理论上|按理|算下来|明明|照理)" + _GAP + r"(?:够|能|放得下|塞下|装得下|装下)|显存(?:是)?(?:够|足够|很?充足|很?宽裕|还有)|(?:should|ought to) (?:easily )?(?:fit|need (?:only )?about|be enough)|plenty of (?:VRAM|memory)|(?:GB|GiB) (?:per GPU )?(?:are |is )?(?:still )?free"),
    ("tp_slower", r"(?:two|three|four|six|eight|[2-8]) (?:\w+ ){0,4}(?:slower than|no faster than|not faster than|(?:is|are) as slow as) (?:one|a single|two|four|[1-4])\b|no faster (?:than|with) (?:one|a single|more) (?:GPU|card)|(?:more|adding|additional) (?:GPUs|cards)" + _GAP + r"(?:slower|no (?:faster|gain|speed-?up)|does ?n[o']t (?:help|scale|speed))|(?:卡|GPU)(?:越多|数(?:越|增))" + _GAP + r"慢|(?:多|双|两|四|八|[2-8])\s?张?卡" + _GAP + r"(?:没(?:有)?(?:提升|变快|加速|更快)|不(?:比|如)单卡)"),
    ("quant_slower_than_fp16", r"(?:量化|int[48]|[48]\s?-?bit|gptq|awq|w8a8|load_in_[48]bit)" + _GAP + r"(?:反而|为什么|却|还|倒)?(?:更|要|变)?慢(?:了|很多|得多|一倍|一半|$|[^得])|(?:load[-_ ](?:in[-_ ])?[48]-?bit|int[48]|[48]-?bit|gptq|awq|bitsandbytes|nf4|fp8|quanti[sz]\w+)" + _GAP + r"(?:slower|longer|times as long|twice as long|more time|half the speed|takes? [^。;\n]{0,30}(?:against|versus|vs\.?|instead of|while|than))" + _GAP + r"(?:fp16|fp32|bf16|half|full|float|unquanti|original|16-?bit|without)|(?:fp16|bf16|fp32|unquanti[sz]ed|16-?bit|原始|原版|非量化)" + _GAP + r"(?:is|are|was|runs?|gets?|比|只要)" + _NARROW + r"(?:faster|quicker|快|times)"),
    ("version_compared", rf"(?:{_VERSION})" + _NARROW + r"(?:(?:were|was|is|are|runs?|ran) (?:still |also |always )?(?:fine|ok|good|fast\w*|slow\w*|normal|well|without|much)|works?|worked|took|gave|正常|没问题|没有问题|很快|是好的)|(?:going|went|moving|moved|upgrad\w+|downgrad\w+|updat\w+|switch\w*) (?:\w+ ){0,3}(?:from|to) " + rf"(?:{_VERSION})|(?:from|从) ?(?:{_VERSION})\s?(?:to|up to|through|until|升|降|换|更新|到)|(?:with|in|on|under|用) ?(?:{_VERSION}|\d+\.\d+)\b{_GAP}(?:with|in|on|under|用) ?(?:{_VERSION}|\d+\.\d+)\b|" + r"(?:older|newer|previous|earlier|old|last|新|旧|老|之前的?|上一个)\s?(?:version|release|build|版本)s?" + _NARROW + r"(?:works?|worked|fine|faster|slower|ok|did not|does not|没|正常|快|可以|不会)"),
    ("after_upgrade", r"(?:going|went|moving|moved) (?:\w+ ){0,3}from v?\d+\.\d|since (?:the )?(?:driver|vllm|ollama|sglang|update|upgrade|new version|version)" + _NARROW + r"|from (?:v\d+\.\d+|\d+\.\d+\.\d+)(?:\.\w+)* (?:to|up to|on)\b|the (?:update|upgrade|new (?:version|release))"),
    ("fine_directly", r"(?:direct(?:ly)?|straight|curl|localhost|bypass\w*|直连|直接(?:请求|访问|调用|curl)|绕过)" + _GAP + r"(?:at once|fine|fast|works?|streams?|normal|ok|no (?:delay|problem)|TTFT|正常|很快|没(?:有)?问题|立即|流式)|(?:through|behind|via|over|经过|通过|走) (?:our |the |an? )?(?:\w+ ){0,2}(?:nginx|proxy|gateway|ingress|load balancer|cloudflare|网关|代理)" + _GAP + r"(?:slow|delay|buffer|at once|hang|timeout|wait|TTFT|慢|卡|超时|一次性)"),
    ("model_reloads", r"(?:reload\w*|loads? (?:again|anew)|loaded (?:again|anew)|load(?:s|ed|ing)? (?:and unload\w*|the model (?:again|every|each|for every))|unload\w* and (?:re)?load\w*)|(?:every|each) (?:request|prompt|call|time)" + _GAP + r"(?:reload|loads? the model|loading)|(?:每次|反复|重复|又要)\s?(?:请求|都|要|会)?" + _NARROW + r"(?:重新)?加载(?:模型)?"),
    ("one_core_busy", r"(?:only |just )?(?:one|a single|two|1|2) (?:CPU )?(?:core|thread|process)s?" + _NARROW + r"(?:100 ?%|above|busy|pegged|maxed|saturated|at full|used)|single[- ](?:core|threaded?)" + _NARROW + r"(?:100|bound|bottleneck|limit|pegged|max)|(?:python|vllm|EngineCore|APIServer) (?:process )?(?:\w+ ){0,3}(?:at |uses? |takes? |sits at )100 ?% (?:of (?:a|one) )?(?:CPU|core)|单核(?:\s?CPU)?" + _NARROW + r"(?:满|100|跑满|打满|占满)|(?:只有)?(?:一|1|两)个(?:CPU)?\s?核(?:心)?" + _NARROW + r"(?:满|100|在跑|在用|占满)"),
    ("other_machine_faster", r"(?:other|another|second|old|older|different|same) (?:\w+ )?(?:machine|server|host|box|node|laptop|computer|PC|workstation|cloud)" + _GAP + r"(?:faster|fast\b|fine|works|normal|\d+ ?tok|times)|(?:slower|slow) (?:\w+ )?(?:on|under) Windows" + _GAP + r"Linux|(?:faster|fast|fine) (?:on|under|in) (?:Linux|Ubuntu|WSL|native)|(?:另|别的|其他|同样的?|同配置|别人)(?:一台|的)?[^。,;\n]{0,10}(?:机器|服务器|电脑|主机|配置)" + _GAP + r"(?:快|正常|没问题|\d+ ?tok)|比别人"),
    ("cpu_busy", r"CPU(?:s)?(?:的)?\s?(?:利用率|使用率|占用率?|util\w*|usage|load)?" + _NARROW + r"(?:100 ?%|9[0-9](?:\.\d)? ?%|满载|跑满|打满|爆满|飙|maxed|saturated|pegged|\d{3,5} ?%)|(?:all|every|\d+ ?个?)\s?(?:CPU )?(?:cores|核)" + _NARROW + r"(?:100|busy|full|跑满|满载|全部跑满|at full)|核(?:心)?全(?:部)?(?:跑|打|占)?满"),
    ("gpu_idle", r"(?:GPU|显卡)(?:s)?[^。;\n]{0,10}(?:没有|无|毫无|没什么)\s?(?:负载|占用|利用|动静|使用)|GPU(?:s)? (?:shows?|stays?|sits?|at|is|are)" + _NARROW + r"\b0 ?%|no (?:GPU )?(?:load|activity|usage) on the GPU|no GPU (?:load|activity|usage|utili[sz]ation)|CPU output buffer|uses? only (?:the )?CPU|falls? back to (?:the )?CPU"),
    ("others_wait_for_prefill", r"(?:one|a|single|another|any) (?:user|client|request|person|agent|somebody)?[^。;\n]{0,40}(?:long|large|big|huge) (?:prompt|input|context|document)s?[^。;\n]{0,40}(?:all |the )?(?:other|rest|everybody|everyone|running)[^。;\n]{0,30}(?:freez|stall|stop|wait|hang|pause|block|stuck)\w*|(?:other|running|everybody|everyone)[^。;\n]{0,30}(?:freez|stall|stop|wait|hang|pause|block|stuck)\w*[^。;\n]{0,40}(?:long|large|big|huge) (?:prompt|input|prefill)|(?:长|大)(?:的)?(?:提示|prompt|输入|文档|上下文)[^。;\n]{0,24}(?:其他|别的|所有|其余)[^。;\n]{0,12}(?:卡|停|等|顿)"),
    ("cpu_busy_when_idle", r"(?:without (?:any|a)?(?: \w+)? ?requests?|no requests?|when idle|while idle|idle server|nobody asks|even (?:when|if) idle)[^。;\n]{0,60}CPU[^。;\n]{0,40}(?:100 ?%|busy|pegged|full|high)|CPU[^。;\n]{0,40}(?:100 ?%|busy|pegged|full|high)[^。;\n]{0,50}(?:without (?:any )?requests?|no requests?|when idle|while idle|even (?:when|if) idle)|(?:没有请求|空闲|没人用|不推理|闲置)[^。;\n]{0,20}CPU[^。;\n]{0,16}(?:100|满|高|占)|CPU[^。;\n]{0,16}(?:100|满|高)[^。;\n]{0,16}(?:没有请求|空闲|没人用)"),
    ("memory_asked", r"(?:why|how come)\b[^。;\n]{0,60}(?:use|tak|reserv|occup|need|consum|allocat|fill)[^。;\n]{0,40}(?:memory|VRAM|GiB|GB)\b|(?:why|how come)\b[^。;\n]{0,40}(?:memory|VRAM)\b[^。;\n]{0,20}(?:full|high|large|taken|used)|(?:how|can) (?:can |do |could |should )?(?:I|we) (?:make|get|reduce|lower|limit|shrink|use)[^。;\n]{0,20}(?:memory|VRAM)\b|(?:如何|怎么|怎样|有(?:什么)?办法|能不能|可以)[^。;\n]{0,20}(?:降低|减少|限制|控制)[^。;\n]{0,8}显存|显存[^。;\n]{0,14}(?:能|可以|办法|怎么)[^。;\n]{0,6}(?:限制|降低|减少)|(?:为什么|为何|怎么会?|啥)" + _GAP + r"(?:占用?|吃|用)(?:了|掉|到|满)?" + _NARROW + r"(?:显存|\d+ ?G|那么多|这么多)|显存" + _NARROW + r"(?:为什么|为何|怎么)" + _NARROW + r"(?:占|满|高|多|大)|(?:占用?|吃)(?:了|满|掉)?(?:整个|全部|所有|\d+%? ?的?)\s?显存|(?:takes?|uses?|reserves?|allocates?|occup\w+)" + _NARROW + r"(?:all|entire|whole|almost all|nearly all|9\d ?%)" + _NARROW + r"(?:memory|VRAM)"),
    ("quant_slower_than_fp16", r"(?:with|add|adding|using|set|setting|turn on|开|加上?|用)\s?`?--?(?:quanti[sz]e|load-8bit|load-4bit|load_in_[48]bit)" + r"[^。;\n]{0,60}" + r"(?:slower|longer|drops?|goes (?:up |down )?to|rises?|twice|times|更?慢)"),
    ("slow_load", r"(?:加载|启动|读(?:取)?权重|load\w*)" + _NARROW + r"(?:很?慢|太?久|太慢|要?(?:花|用)?了?(?:快|近|将近|差不多)?\s?(?:\d+|[一两二三四五六七八九十半]+)\s?(?:多)?(?:个)?(?:分钟|小时)|takes? (?:\w+ )?(?:forever|ages|long|minutes|hours|\d+ (?:minutes|hours))|very slow|is slow|slow)|slow (?:model |weight )?load"),
)  # fmt: skip
_PATTERNS = [(f"observed.{name}", re2.compile(f"(?i){pattern}")) for name, pattern in OBSERVED]
_EXPECTATION = re2.compile(
    r"(?i)(?:正常|合理)(?:吗|么|的吗|不|的么)|是不是正常|(?:本来)?就是这个?(?:速度|水平)|应该(?:有|是)?多(?:少|快)|is (?:this|that|it)(?: speed)? (?:normal|expected|ok|reasonable|slow|the best)|what (?:speed|performance) should|is this all|as expected\?|to be expected\?|am i expecting"
)

SYMPTOMS: tuple[tuple[str, str], ...] = (
    ("slow", r"慢|龟速|卡顿|延迟(?:很)?高|吞吐(?:量)?(?:很|太|上不去|低)|速度(?:只有|才|上不去|低|不)|掉速|slow\w*|sluggish|(?:low|poor|bad|terrible) (?:performance|throughput|speed)|latency (?:is )?(?:high|spikes?)|high latency|takes (?:too long|forever)|speed drops?|throughput (?:drops?|is (?:low|extremely low|bad))|bottleneck|(?:只有|只能(?:跑|到)?|才|仅)[^。,;\n]{0,10}\d[^。,;\n]{0,8}(?:tok|字)|\b(?:only|barely|just) (?:about |around |reaches |gives |get )?\d[\d.]* ?(?:-|to)? ?[\d.]* ?tok|(?:far|well|much) below|order of magnitude below|速度[^。,;\n]{0,8}(?:降|掉)"),
    ("oom", r"\bOOM\w*|out[- ]of[- ]memory|OutOfMemory\w*|爆显存|显存(?:不足|不够|溢出|爆)|内存(?:不足|不够|溢出)|runs? out of (?:GPU |host |CPU )?memory|does(?:n't| not) fit|memory for the cache blocks|insufficient (?:GPU )?memory"),
    ("load", r"(?:启动|加载|起|跑|部署)(?:不了|不起来|失败|不成功|报错|就报错)|无法(?:启动|加载)|(?:can ?not|can't|fails? to|does(?:n't| not)|won't|unable to|failed to|refuses to|failure to) (?:be )?(?:load|start|launch|serve|initiali[sz]e|import)\w*|(?:start-?up|loading|import) (?:fails|error)|fails (?:while|when|at|during|before) (?:load|start|import|build|creat|init)\w*|not supported|(?:启动|加载|部署|导入|\bstart(?:s|ing|-?up)?\b|\bload(?:s|ing)?\b|\bimport(?:s|ing)?\b|\bdeploy\w*)" + _GAP + r"(?:fails?\b|failed|aborts?|exits?|stops? with|报错|失败|Error\b)|(?:fails?|failed|aborts?|exits?|error|stops?)" + _NARROW + r"(?:\bstart(?:s|ing|-?up)?\b|\bload(?:s|ing)?\b|\bimport\w*|启动|加载)|(?:can ?not|cannot|could not) access"),
    ("hang", r"卡住|卡死|假死|死锁|没(?:有)?(?:任何)?反应|无响应|一直等|\bhangs?\b|hung\b|stuck\b|freez\w*|deadlock\w*|unresponsive|never (?:returns?|finish\w*|gets? (?:further|there))|wait(?:s|ing)? (?:for ?ever|endlessly|without end)|for ever\b|\bstalls\b|stalled|stands? still|nothing (?:more |else )?happens|不动了|一动不动|就停(?:住|在)"),
    ("output", r"乱码|感叹号|胡言乱语|停不下来|复读|重复(?:输出|生成)|截断|输出(?:为空|异常|不对|错误)|质量(?:下降|变差)|gibberish|garbled|nonsens\w*|garbage|(?:wrong|incorrect|meaningless|false) (?:answer|output|result|text|token)s?|(?:output|answer|result|text)s? (?:\w+ ){0,4}(?:is|are|was|were) (?:wrong|incorrect|meaningless)|cut off|truncat\w+|repeats? itself|empty (?:output|response|answer|content)|(?:does not|never|doesn't) stop|quality (?:is )?(?:worse|drops|poor)"),
    ("error", r"报错|抛(?:出)?异常|崩溃|\b\w{0,40}Error\b|\b\w{0,40}Exception\b|\berrors?\b|crash\w*|traceback|segfault|illegal memory access|Xid"),
    ("multi-gpu", r"\bNCCL\b|多卡|双卡|跨卡|(?:multi|two)-(?:gpu|node)s?|all[-_ ]?reduce|(?:(?:several|multiple|two) (?:gpu|node)s|tensor[- _]parallel\w*|张量并行|\bTP ?=? ?[2-8]\b)" + _GAP + r"(?:fail|hang|error|crash|slow|nonsense|garbage|incorrect|not (?:work|load|start)|卡|慢|报错|失败|乱码)"),
)  # fmt: skip
_SYMPTOMS = [(kind, re2.compile(f"(?i){pattern}")) for kind, pattern in SYMPTOMS]


# Words of speed. They make slowness the subject where no other trouble is named.
_SPEED = re2.compile(
    r"(?i)tok\w*\s?/\s?s\b|\d\s?t/s\b|每秒|一秒|请求时间|响应时间|utili[sz]ation|利用率|tokens? (?:per|a|each) (?:second|minute)|throughput|latency|\bTTFT\b|\bspeed(?:up)?\b|performance|"
    r"(?:uses?|on) the CPU|\d\s?(?:个)?\s?tokens?\s?/\s?(?:s|秒)|速度|性能|吞吐|延迟|耗时|优化|提速|加速|faster|(?:two|three|\d+|several) times (?:as long|longer)|takes? (?:about |around |more than )?\d+(?:\.\d+)? ?(?:s|sec|seconds|min|minutes)\b"
)
_OTHER_TROUBLE = {"oom", "load", "hang", "output"}


def recognise(text: str) -> float:
    return 0.5


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "text")
    kinds: set[str] = set()
    for sentence in sentences(text):
        _read_observed(collector, sentence)
        _read_symptoms(collector, sentence, kinds)
    if not kinds & (_OTHER_TROUBLE | {"slow"}) and (match := _SPEED.search(text)):
        collector.add("symptom.kind", "slow", match.span())
    return collector.facts


def _read_observed(collector: Collector, sentence: tuple[int, int]) -> None:
    start, end = sentence
    words = collector.text[start:end]
    for name, pattern in _PATTERNS:
        if collector.has(name):
            continue
        match = pattern.search(words)
        if match and polarity(collector.text, sentence, start + match.start(), start + match.end()) == "stated":
            collector.add(name, True, (start + match.start(), start + match.end()))
    if (match := _EXPECTATION.search(words)) and not collector.has("observed.expectation_unclear"):
        collector.add("observed.expectation_unclear", True, (start + match.start(), start + match.end()))


def _read_symptoms(collector: Collector, sentence: tuple[int, int], kinds: set[str]) -> None:
    start, end = sentence
    for kind, pattern in _SYMPTOMS:
        if kind in kinds:
            continue
        match = pattern.search(collector.text[start:end])
        if match and polarity(collector.text, sentence, start + match.start(), start + match.end()) == "stated":
            kinds.add(kind)
            collector.add("symptom.kind", kind, (start + match.start(), start + match.end()))
