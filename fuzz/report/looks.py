"""How pages look: one style sheet, for screens of any width, dark and light, and for paper."""

from __future__ import annotations

LINE_EM = 1.6
"""The height of a line of a trace, in its own font size: lines between guards are drawn to it."""

_DARK = """
--page:#15171a;--panel:#1c1f23;--ink:#dfe2e6;--quiet:#9aa1aa;--rule:#343a41;--grid:#2a2f35;--link:#8ab4f8;
--proved:#5fb37f;--unknown:#d9a441;--unsupported:#8a929b;--refuted:#ef6f6c;--crash:#c58af9;--hang:#58c4cc;
--malformed:#6fb7e9;--fault:#f078b4;--mark:#4a2526;--note:#86c79d;--same:#6b7480;
--a:#6fa8dc;--b:#8fc1a9;--c:#d9a441;--d:#c58af9;--e:#ef6f6c;--f:#9aa1aa;color-scheme:dark"""

_LIGHT = """
--page:#fdfdfb;--panel:#f5f5f1;--ink:#1d2125;--quiet:#5c646d;--rule:#cfd2cd;--grid:#e4e6e1;--link:#1a56a8;
--proved:#2e7d4f;--unknown:#b07708;--unsupported:#767e86;--refuted:#c3302c;--crash:#7b3fb5;--hang:#0f7d86;
--malformed:#23709f;--fault:#b32672;--mark:#fbe3df;--note:#2d6a45;--same:#8b939b;
--a:#2f6db3;--b:#4f9a78;--c:#b07708;--d:#7b3fb5;--e:#c3302c;--f:#767e86;color-scheme:light"""

_SHEET = """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;background:var(--page)}
body{margin:0 auto;max-width:76rem;padding:1.5rem 1.25rem 4rem;background:var(--page);color:var(--ink);
font:16px/1.5 Charter,"Bitstream Charter","Iowan Old Style",Georgia,serif}
h1,h2,h3,h4{line-height:1.25;font-weight:600;margin:0;overflow-wrap:anywhere}
h1{font-size:1.75rem}h2{font-size:1.3rem;margin:2.75rem 0 .75rem;padding-top:.5rem;border-top:1px solid var(--rule)}
h3{font-size:1.08rem;margin:1.5rem 0 .4rem}.figures h3{font-size:.9rem;margin:1rem 0 .3rem}
h4{font-size:1rem;margin:1.25rem 0 .35rem}
p{margin:.4rem 0;max-width:44rem}a{color:var(--link)}
code,pre,.trace,.num,kbd{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{font-size:.86em;overflow-wrap:anywhere}
pre{font-size:13px;line-height:1.5;margin:.4rem 0;padding:.6rem .8rem;background:var(--panel);
border:1px solid var(--rule);border-radius:4px;white-space:pre-wrap;overflow-wrap:anywhere}
.word{display:inline-block;max-width:100%}
.quiet,figcaption,.axis{color:var(--quiet)}
.lead{font-size:1.06rem;margin-top:.5rem}
nav{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;margin-top:1rem;font-size:.95rem}
.facts{display:flex;flex-wrap:wrap;gap:.9rem 2.4rem;margin:1.25rem 0 0}
.facts div{min-width:5rem}.facts dt{font-size:.85rem;color:var(--quiet)}
.facts dd{margin:0;font-size:1.35rem;font-variant-numeric:tabular-nums lining-nums}
.facts dd small{font-size:.85rem;color:var(--quiet)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums lining-nums}
table.list th,table.list td{padding:.28rem 1.1rem .28rem 0;border-bottom:1px solid var(--grid);text-align:left;
vertical-align:top}
table.list thead th{border-bottom-color:var(--rule);font-weight:600;font-size:.85rem;color:var(--quiet);
white-space:nowrap}
table.list tbody th{font-weight:400}
table.list td p{margin:0;color:var(--quiet);font-size:.95em}.right{text-align:right!important;white-space:nowrap}
table.list td .kind{margin-right:.3em}
.dot{display:inline-block;width:.7em;height:.7em;border-radius:2px;margin-right:.45em;background:currentColor;
print-color-adjust:exact;-webkit-print-color-adjust:exact}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,32rem),1fr));gap:1rem 2rem}
figure{margin:1rem 0;min-width:0}figcaption{font-size:.9rem;margin-bottom:.3rem}
figcaption b{color:var(--ink);font-weight:600;display:block}
svg{display:block;width:100%;height:auto;overflow:visible}
svg text{font:12px system-ui,sans-serif;fill:var(--quiet)}svg .label{fill:var(--ink)}
svg .grid{stroke:var(--grid)}svg .base{stroke:var(--rule)}
svg.narrow{display:none}
.legend{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;font-size:.88rem;list-style:none;margin:.4rem 0 0;padding:0}
.rules{columns:17rem;column-gap:2rem;list-style:none;margin:.5rem 0;padding:0;font-size:.85rem}
.rules li{display:flex;justify-content:space-between;gap:.8rem;break-inside:avoid;padding:.05rem .35rem;
background:linear-gradient(var(--grid),var(--grid)) no-repeat 0 50%/var(--share) 82%}
.rules code{font-size:12px}
.rules.never li{display:list-item;list-style:none}
.find{margin-top:2rem;padding-top:.25rem}
.find+.find{border-top:1px solid var(--grid)}
.kind{white-space:nowrap;font:600 .8rem system-ui,sans-serif;letter-spacing:.02em;color:var(--tone)}
.tone-proved{--tone:var(--proved)}.tone-unknown{--tone:var(--unknown)}.tone-unsupported{--tone:var(--unsupported)}
.tone-refuted{--tone:var(--refuted)}.tone-crash{--tone:var(--crash)}.tone-hang{--tone:var(--hang)}
.tone-malformed{--tone:var(--malformed)}.tone-fault,.tone-error{--tone:var(--fault)}
.tone-early{--tone:var(--unknown)}.tone-stricter{--tone:var(--refuted)}.tone-same{--tone:var(--same)}
.tone-a{--tone:var(--a)}.tone-b{--tone:var(--b)}.tone-c{--tone:var(--c)}.tone-d{--tone:var(--d)}
.tone-e{--tone:var(--e)}.tone-f{--tone:var(--f)}
.dot{background:var(--tone)}svg .fill{fill:var(--tone)}svg .line{stroke:var(--tone);fill:none}
.trace{font-size:13px;margin:.6rem 0}
.trace th,.trace td{padding:0;border:0;text-align:left;vertical-align:top;font-weight:400}
.trace .side+.links+.side .g,.trace tr>.side:nth-last-child(1) .g{width:6.5ch}
.trace thead th{font:600 .85rem system-ui,sans-serif;color:var(--quiet);padding-bottom:.35rem}
.trace table{font-size:inherit}.trace td.side{white-space:pre;line-height:LINE_EMem;height:calc(var(--lines)*LINE_EMem);
padding:0 .4em}
.trace td.side>span{display:block;min-height:LINE_EMem}.trace .more{padding-left:4ch}
.trace .note{color:var(--note)}.trace .first .note{color:inherit}
.trace .first{background:var(--mark);font-weight:600;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.trace .g{display:inline-block;line-height:1;width:5ch;color:var(--quiet);font-size:11px;font-weight:400}
.trace td.links{width:4.5rem}.trace td.links svg{width:4.5rem;overflow:visible}
.trace .link{stroke:var(--tone);fill:none;stroke-width:1.5;vector-effect:non-scaling-stroke}
.trace .tone-early{stroke-dasharray:6 3}.trace .tone-stricter{stroke-dasharray:2 3}
.first-mark{font:600 11px system-ui,sans-serif;color:var(--refuted)}
details summary{cursor:pointer}
footer{margin-top:3rem;padding-top:.75rem;border-top:1px solid var(--rule);font-size:.88rem;color:var(--quiet)}
"""

_NARROW = """
body{padding:1rem .9rem 3rem}h1{font-size:1.4rem}
svg.wide{display:none}svg.narrow{display:block}
table.list th,table.list td{padding-right:.8rem}
.facts{display:grid;grid-template-columns:repeat(3,auto);gap:.7rem 1.2rem}.facts dd{font-size:1.15rem}
.trace{font-size:12px}.trace table,.trace tbody,.trace tr,.trace td{display:block}
.trace thead,.trace td.links{display:none}
.trace tr{border-bottom:1px solid var(--grid);padding:.15rem 0}
.trace td.side{white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.4;height:auto;padding-left:8em;
position:relative}
.trace .g,.trace tr>.side:nth-last-child(1) .g{position:absolute;left:3.5em;top:.25em;width:auto}
.trace tr.both td.side+td.side,.trace tr.both td.links+td.side{display:none}
.trace td.side:empty{display:none}
.trace td.side>span{display:inline;min-height:0}.trace .note{display:inline-block}
.trace td.side .more{padding:0}.trace td.side .more::before{content:" "}
.trace td.side::before{content:attr(data-side);position:absolute;left:0;color:var(--quiet);
font:11px/1.6 system-ui,sans-serif}
"""

_PAPER = """
@page{margin:12mm}
body{max-width:none;padding:0;font-size:11pt}nav{display:none}
figure,.facts,tr{break-inside:avoid}h2,h3,h4{break-after:avoid}
.trace{font-size:6pt}.trace .g{font-size:5pt}.trace td.links,.trace td.links svg{width:2.5rem}.scroll{overflow:visible}
details>*{display:block}a{color:inherit;text-decoration:none}
"""

SHEET = (
    f":root{{{_LIGHT}}}"
    f"@media screen and (prefers-color-scheme:dark){{:root{{{_DARK}}}}}"
    f"{_SHEET.replace('LINE_EM', str(LINE_EM))}"
    f"@media screen and (max-width:760px){{{_NARROW}}}"
    f"@media print{{{_PAPER}}}"
).replace("\n", "")
"""The style sheet of every page."""
