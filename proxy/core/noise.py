"""Words of the chat template, not of the model: tokens that leak out of it, and results that only a tool can give."""

from typing import Final

TURN_BEGINS: Final = (
    "<|im_start|>assistant\n",
    "<|im_start|>assistant",
    "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<|header_start|>assistant<|header_end|>\n\n",
    "<|header_start|>assistant<|header_end|>",
    "<|start_of_role|>assistant<|end_of_role|>",
    "<start_of_turn>model\n",
    "<|turn>model\n",
    "<|start_of_turn_token|><|chatbot_token|>",
    "<｜assistant｜>",
    "<|assistant|>\n",
    "<|assistant|>",
    "<|begin_of_text|>",
    "<bos>",
)
"""What templates print before an answer: noise at its very start."""

TURN_ENDS: Final = (
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|end_of_turn|>",
    "<|end_of_turn_token|>",
    "<|end_of_role|>",
    "<end_of_turn>",
    "<turn|>",
    "<eos>",
    "</s>",
    "<｜end▁of▁sentence｜>",
    "<｜end_of_sentence｜>",
    "[eos]",
)
"""What ends an answer: noise at its very end and behind a call."""

MESSAGE_ENDS: Final = (
    "<|eot|>",
    "<|eom|>",
    "<|end|>",
    "<|call|>",
    "<|return|>",
    "<|endofmessage|>",
    "<|content_model_end_sampling|>",
    "<|end_message|>",
    "<|action_end|>",
    "<|assistant_end|>",
    "<|calls|>",
    "<seed:eos>",
    "[e~[",
    "<|close|>message<|sep|>",
)
"""What ends a message in dialects that are made of messages: noise only where one of them was understood."""

STRAY_ENDS: Final = ("</think>", "</thinking>", "[/think]")
"""Closing tags that models repeat where nothing is open."""

RESULTS: Final = (
    "observation:",
    "**observation:**",
    "**observation**:",
    "### observation",
    "<observation>",
    "<tool_response>",
    "<tool_responses>",
    "<|tool_response|>",
    "<|tool_response>",
    "<tool_result>",
    "<tool_results>",
    "<tool_output>",
    "<function_result>",
    "<function_results>",
    "<function_response>",
    "<start_function_response>",
    "[tool_results]",
    "<｜tool▁outputs▁begin｜>",
    "<｜tool▁output▁begin｜>",
    "<|start_tool_result|>",
    "<|im_start|>user",
    "<|im_start|>tool",
    "<|start_header_id|>user<|end_header_id|>",
    "<|start_header_id|>ipython<|end_header_id|>",
    "<|observation|>",
    "<|user|>",
    "observation\n",
    "✿result✿",
    "```tool_output",
    "```tool_outputs",
    "```tool_response",
    "```tool_result",
)
"""Behind a call: a result that the model invented. It and all after it is no part of the answer."""
