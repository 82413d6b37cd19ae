// Writes the frame of a page with its style sheet: light and dark, and black on white in print.
#include "runtime/cli/report/page_shell.h"

#include "runtime/cli/report/html.h"

namespace specmv::cli {

// Dark colours hold for screens only, so that a page is printed in light ones.
constexpr const char *kStyle = R"css(
:root{--page:#fff;--text:#1b1f24;--muted:#57606a;--rule:#d0d7de;--panel:#f6f8fa;--one:#0969da;
--two:#bc4c00;--three:#1a7f37;--other:#8c959f;--mark:#fff3b0;--chosen:#ddf4ff;--inside:#fff;--odd:#0550ae}
@media screen and (prefers-color-scheme:dark){:root{--page:#0d1117;--text:#e6edf3;--muted:#9aa4ae;
--rule:#30363d;--panel:#161b22;--one:#58a6ff;--two:#f0883e;--three:#56d364;--other:#768390;
--mark:#5a4a00;--chosen:#12304f;--inside:#0d1117;--odd:#79c0ff}}
*{box-sizing:border-box}
html{color-scheme:light dark}
body{margin:0 auto;max-width:1000px;padding:16px 24px 48px;background:var(--page);color:var(--text);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:26px;margin:8px 0;overflow-wrap:anywhere}
h2{font-size:20px;margin:36px 0 8px;padding-top:8px;border-top:1px solid var(--rule)}
h3{font-size:16px;margin:20px 0 6px}
p,li{overflow-wrap:anywhere}
nav{display:flex;flex-wrap:wrap;gap:2px 12px}
a{color:var(--one)}
.lead{font-size:18px}
.tiles{display:flex;flex-wrap:wrap;gap:10px;margin:14px 0}
.tile{background:var(--panel);border:1px solid var(--rule);border-radius:8px;padding:8px 14px}
.tile b{display:block;font-size:20px}
.tile span,figcaption,header p{color:var(--muted);font-size:13px}
figure{margin:12px 0}
svg{display:block;width:100%;height:auto;font-size:12px}
svg text{fill:var(--muted)}
svg .axis,svg .label{fill:var(--text)}
svg .label{font-weight:600;paint-order:stroke;stroke:var(--page);stroke-width:4px}
svg .inside{fill:var(--inside);font-weight:600}
svg .grid{stroke:var(--rule);stroke-width:.6}
svg .frame{stroke:var(--muted);stroke-width:1}
svg .bar{fill:var(--one)}
svg .mark,svg .roof,svg .total,svg .drop,svg .profile{fill:none;stroke-width:2}
svg .mark{stroke-dasharray:5 3}
svg line.one,svg polyline.one{stroke:var(--one)}
svg line.two,svg polyline.two{stroke:var(--two)}
svg line.three{stroke:var(--three)}
svg polyline.other{fill:none;stroke:var(--other);stroke-width:1.2}
svg .even-line{stroke:var(--text);stroke-width:1.2}
svg circle{stroke:var(--page);stroke-width:1}
svg circle.one{fill:var(--one)}
svg circle.two{fill:var(--two)}
svg circle.three{fill:var(--three)}
svg circle.other{fill:var(--other)}
svg .stem{stroke:var(--other);stroke-width:1.5}
svg .strong{stroke:var(--one);stroke-width:3}
svg .total{stroke:var(--one)}
svg .known{stroke-dasharray:2 4}
svg .compiled{stroke-dasharray:9 5}
svg .theirs{stroke:var(--two)}
svg .drop{stroke:var(--three);stroke-width:1;stroke-dasharray:3 3}
svg .even{fill:var(--one)}
svg .odd{fill:var(--odd)}
.levels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(400px,100%),1fr));gap:20px}
.levels>*{min-width:0}
.spy{position:relative;border:1px solid var(--muted);min-height:8px}
.spy img{display:block;width:100%;height:100%;image-rendering:pixelated}
.part{position:absolute;border:1.5px solid var(--two);min-width:7px;min-height:7px}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:13px;margin:8px 0}
th,td{text-align:left;padding:3px 12px 3px 0;border-bottom:1px solid var(--rule);vertical-align:top}
th{color:var(--muted);font-weight:600}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.chosen td{background:var(--chosen);font-weight:600}
.word{white-space:nowrap}
td code{display:inline-block;min-width:15em;overflow-wrap:anywhere}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",monospace;font-size:12.5px}
pre{background:var(--panel);border:1px solid var(--rule);border-radius:8px;padding:12px;
overflow-x:auto;line-height:1.45}
mark{background:var(--mark);color:inherit;border-radius:3px;padding:0 2px}
summary{cursor:pointer;color:var(--one)}
@media print{body{max-width:none;padding:0;font-size:11px}nav,details{display:none}
h2,h3{break-after:avoid}.levels{grid-template-columns:1fr 1fr}figure,.tiles,tr{break-inside:avoid}.wide,pre{overflow:visible}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:8.5px}table,figcaption,header p{font-size:9.5px}code{font-size:9px}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
@media (max-width:520px){.levels{grid-template-columns:minmax(0,1fr)}body{padding:8px 12px}}
)css";

static std::string contentsOf(llvm::ArrayRef<PageSection> sections) {
  std::string out = "<nav>";
  for (const PageSection &section : sections)
    out += std::string("<a href=\"#") + section.id + "\">" + section.inContents + "</a>";
  return out + "</nav>\n";
}

std::string wholePage(llvm::StringRef title, llvm::StringRef header,
                      llvm::ArrayRef<PageSection> sections) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                    "<title>" +
                    escaped(title) + " - specmv report</title>\n<style>" + kStyle +
                    "</style>\n</head>\n<body>\n<header>\n<h1>" + escaped(title) + "</h1>\n<p>" +
                    escaped(header) + "</p>\n</header>\n" + contentsOf(sections) + "<main>\n";
  for (const PageSection &section : sections)
    out += section.html;
  return out + "</main>\n</body>\n</html>\n";
}

} // namespace specmv::cli
