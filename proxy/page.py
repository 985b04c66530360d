"""The page at `/`: it runs, these are the models, this is what to paste where. No script, nothing from elsewhere."""

from collections.abc import Sequence
from html import escape
from typing import Final

from proxy.upstream.pool import OK

_STYLE: Final = """
:root { color-scheme: light dark; --line: #8883; --soft: #8881; --good: #1a7f37; --bad: #c0362c; }
@media (prefers-color-scheme: dark) { :root { --good: #4ac26b; --bad: #ff7b72; } }
body { font: 16px/1.55 system-ui, "Apple SD Gothic Neo", "Malgun Gothic", sans-serif; max-width: 46rem;
       margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; letter-spacing: -.01em; }
h2 { font-size: 1.05rem; margin: 2.25rem 0 .5rem; }
p { margin: .4rem 0; } .soft { opacity: .7; }
code, pre { font: .9em/1.5 ui-monospace, "Cascadia Code", Menlo, Consolas, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem;
      overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid var(--line); padding: .45rem .5rem .45rem 0; vertical-align: top; }
td, li { overflow-wrap: anywhere; }
td:first-child { min-width: 6rem; padding-right: 1.25rem; overflow-wrap: normal; }
a { color: inherit; }
.good { color: var(--good); } .bad { color: var(--bad); }
ul.names { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .35rem; }
ul.names li { background: var(--soft); border: 1px solid var(--line); border-radius: 999px; padding: .05rem .65rem; }
summary { cursor: pointer; }
"""


def page(
    base: str,
    models: Sequence[str],
    demo: Sequence[str],
    upstreams: Sequence[tuple[str, str, str]],
    *,
    key: bool,
) -> str:
    """The page as HTML; `key`: do clients need one?"""
    model = models[0] if models else "demo/hermes" if demo else "MODEL"
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>strictcall</title><style>{_STYLE}</style></head><body>
<h1>strictcall is running</h1>
<p class="soft">Whatever dialect a local model calls tools in, your client gets strict OpenAI tool calls.</p>

<h2>Paste this into your client</h2>
<table>
<tr><td>Base URL</td><td><code>{escape(base)}/v1</code></td></tr>
<tr><td>API key</td><td>{"the one that this server was started with" if key else "anything"}</td></tr>
<tr><td>Model</td><td><code>{escape(model)}</code></td></tr>
<tr><td>As an Ollama</td><td><code>{escape(base)}</code></td></tr>
<tr><td>Void</td><td>OpenAI-Compatible, base URL as above; for tools, click the gear beside the model, switch
“Override model defaults” on, and replace the text by
<code>{{"specialToolFormat": "openai-style"}}</code></td></tr>
<tr><td>Shell mode</td><td><code>{escape(base)}/shell/v1</code>: calls to the registry's tools come as commands to
paste</td></tr>
<tr><td>MCP</td><td><code>{escape(base)}/mcp</code>, for Void and older clients
<code>{escape(base)}/sse</code></td></tr>
</table>
<pre>{escape(curl(base, model, key=key))}</pre>

<h2>Model servers</h2>
<table>{"".join(_row(*upstream) for upstream in upstreams)}</table>

<h2>Models</h2>
{_names(models) if models else '<p class="soft">None of your own yet.</p>'}
{_demo(demo)}
<p class="soft"><a href="/v1/models">/v1/models</a> · <a href="/metrics">/metrics</a> ·
<a href="/readyz">/readyz</a></p>
</body></html>
"""


def curl(base: str, model: str, *, key: bool) -> str:
    """A request with a tool, to paste into a terminal; `key`: does it need one?"""
    header = " -H 'Authorization: Bearer YOUR-KEY'" if key else ""
    return f"""curl {base}/v1/chat/completions{header} -d '{{
  "model": "{model}",
  "messages": [{{"role": "user", "content": "What is the weather in Seoul?"}}],
  "tools": [{{"type": "function", "function": {{"name": "get_weather",
    "parameters": {{"type": "object", "properties":
      {{"city": {{"type": "string"}}}}, "required": ["city"]}}}}}}]
}}'"""


def _row(name: str, url: str, state: str) -> str:
    shown = '<span class="good">answers</span>' if state == OK else f'<span class="bad">{escape(state)}</span>'
    return f"<tr><td>{escape(name)}</td><td><code>{escape(url)}</code> {shown}</td></tr>"


def _names(models: Sequence[str]) -> str:
    return '<ul class="names">' + "".join(f"<li><code>{escape(name)}</code></li>" for name in models) + "</ul>"


def _demo(demo: Sequence[str]) -> str:
    if not demo:
        return ""
    return f"<details><summary>{len(demo)} scripted demo models, no GPU needed</summary>{_names(demo)}</details>"
