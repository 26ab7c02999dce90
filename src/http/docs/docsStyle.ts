/** The inline style of the page: nothing is fetched. All colours have a contrast of at least 4.5 to 1, light and dark. */
export const DOCS_STYLE = `
:root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;--box:#f6f8fa;--link:#0550ae;--get:#116329;--post:#0550ae;--delete:#a40e26}
@media(prefers-color-scheme:dark){:root{--back:#0d1117;--text:#e6edf3;--soft:#9aa4af;--line:#30363d;--box:#161b22;--link:#79c0ff;--get:#7ee787;--post:#79c0ff;--delete:#ff9b93}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--back);color:var(--text);font:1rem/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
main,header{max-width:60rem;margin:0 auto;padding:1rem}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,pre:focus-visible{outline:3px solid var(--link);outline-offset:2px}
h1{margin:.5rem 0}
h2{font-size:1.15rem;margin:0 0 .25rem}
h3{font-size:1rem;margin:1.25rem 0 .25rem}
code,pre{font:.875rem/1.45 ui-monospace,monospace}
pre{background:var(--box);border:1px solid var(--line);border-radius:.4rem;padding:.75rem;overflow-x:auto;overflow-wrap:normal;max-height:30rem}
nav ul{list-style:none;padding:0;margin:0;columns:22rem}
nav li{padding:.2rem 0;break-inside:avoid}
article{border-top:1px solid var(--line);padding:1.75rem 0}
.method{font-weight:700}
.get{color:var(--get)}.post{color:var(--post)}.delete{color:var(--delete)}
dl{margin:.25rem 0;padding-left:.9rem;border-left:2px solid var(--line)}
dt{margin-top:.4rem}dt span,dt i,.soft{color:var(--soft)}
dd{margin:0 0 0 .9rem}dd p{margin:.1rem 0}
details{margin:.4rem 0;border:1px solid var(--line);border-radius:.4rem;padding:.4rem .75rem}
summary{cursor:pointer}
details ul{padding-left:1.2rem}
.skip{position:absolute;left:-99rem}.skip:focus{position:static}
`;
