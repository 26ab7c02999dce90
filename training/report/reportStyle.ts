/**
 * CSS of the report. Colours are named by role; text has a contrast of at least 4.5 in both schemes. Blue and vermilion are distinguishable
 * with all common forms of colour blindness (Okabe & Ito 2008). Printing always uses the light scheme.
 */
export const REPORT_STYLE = `
:root{color-scheme:light dark;--ground:#fff;--panel:#f5f7f9;--ink:#16202b;--soft:#4b5866;--rule:#d4dbe2;--s0:#0062a3;--s1:#b34700;--s2:#5b6470;--s3:#8a2d6b;--good:#0b6b4f;--bad:#b34700;--good-ground:#e5f4ee;--bad-ground:#fdeee3}
@media screen and (prefers-color-scheme:dark){:root{--ground:#12161b;--panel:#1b2129;--ink:#e8edf2;--soft:#aab6c2;--rule:#343e49;--s0:#6cb8f5;--s1:#ff9d57;--s2:#aab6c2;--s3:#e394c9;--good:#63d2ab;--bad:#ff9d57;--good-ground:#12302a;--bad-ground:#3a2415}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;overflow-wrap:anywhere}
main{max-width:1180px;margin:0 auto;padding:28px 20px 48px}
h1{font-size:1.6rem;line-height:1.25;margin:0}
h2{font-size:1.2rem;margin:2.4rem 0 .5rem;padding-top:.6rem;border-top:1px solid var(--rule)}
h3{font-size:1rem;margin:1.2rem 0 .3rem}
p{margin:.3rem 0 .7rem;max-width:78ch}
ul{margin:.3rem 0;padding-left:1.3em;max-width:78ch}
li{margin:.25rem 0}
.checks{max-width:96ch}
code,pre{font:.875rem/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
.facts{color:var(--soft);margin:.2rem 0 1rem}
.banner{max-width:none;border:1px dashed var(--bad);border-radius:8px;padding:.6rem .9rem}
.verdict{border-left:6px solid var(--soft);border-radius:8px;padding:.9rem 1.1rem;background:var(--panel)}
.verdict p{margin:0;max-width:none}
.verdict.passed{border-color:var(--good);background:var(--good-ground)}
.verdict.failed{border-color:var(--bad);background:var(--bad-ground)}
.status{font-size:1.35rem;font-weight:700}
.passed .status,.holds .sign{color:var(--good)}
.failed .status,.fails .sign{color:var(--bad)}
.headline{font-size:1.05rem}
.checks{list-style:none;padding:0}
.checks li{display:flex;gap:.6em}
.sign{font-weight:700;flex:none;width:1em}
.spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.lines{margin:.4rem 0;padding:.7rem .9rem;background:var(--panel);border-radius:8px;white-space:pre-wrap}
.lines code{user-select:all;-webkit-user-select:all}
.charts{display:grid;gap:1.2rem 2rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,440px),1fr));align-items:start}
.charts.small{grid-template-columns:repeat(auto-fill,minmax(min(100%,280px),1fr))}
figure{margin:0;min-width:0;break-inside:avoid}
figcaption h3{margin-top:.6rem}
.small figcaption{font-size:.875rem}
.small figcaption span{color:var(--soft);display:block}
svg.chart{display:block;width:100%;height:auto;max-width:540px}
.small svg.chart{max-width:400px}
svg text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--soft);font-variant-numeric:tabular-nums}
svg .title{fill:var(--ink);paint-order:stroke;stroke:var(--ground);stroke-width:4px;stroke-linejoin:round}
svg .end{text-anchor:end}
svg .middle{text-anchor:middle}
.s0{--tone:var(--s0)}.s1{--tone:var(--s1)}.s2{--tone:var(--s2)}.s3{--tone:var(--s3)}
.grid{stroke:var(--rule);fill:none}
.axis{stroke:var(--soft);fill:none}
.reference{stroke:var(--soft);stroke-dasharray:2 3;fill:none;stroke-width:1.3}
.line{stroke:var(--tone);stroke-width:2;fill:none;stroke-linejoin:round}
.line.s1{stroke-dasharray:7 3}.line.s2{stroke-dasharray:2 3}.line.s3{stroke-dasharray:9 3 2 3}
.thin{stroke:var(--tone);stroke-width:1;fill:none;opacity:.8}
.interval{stroke:var(--tone);stroke-width:2;opacity:.5;fill:none}
.mark{fill:var(--tone);stroke:var(--ground);stroke-width:1}
.mark.s1,.mark.s2{fill:var(--ground);stroke:var(--tone);stroke-width:1.8}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;padding:0;margin:.3rem 0 .6rem;font-size:.875rem}
.legend li{display:flex;align-items:center;gap:.4em;margin:0}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .75rem .3rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule);overflow-wrap:normal}
thead th{color:var(--soft);font-weight:600;vertical-align:bottom}
tbody th{font-weight:400;min-width:8rem}
td{white-space:nowrap}
.figure{text-align:right}
details{margin:.6rem 0}
summary{cursor:pointer;color:var(--s0);width:fit-content}
summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--s0);outline-offset:2px}
.empty{color:var(--soft);font-style:italic}
footer{margin-top:2.4rem;padding-top:.6rem;border-top:1px solid var(--rule);color:var(--soft);font-size:.875rem}
@media (max-width:600px){main{padding:18px 14px 32px}h1{font-size:1.3rem}.charts{gap:1.2rem}}
@media print{main{max-width:none;padding:0}body{font-size:11pt}h2{break-after:avoid}tr{break-inside:avoid}.scroll{overflow:visible}details::details-content{content-visibility:visible;display:block;height:auto}}
`;
