#!/usr/bin/env bash
# Looks at pages of `specmv report` in Chromium, in both themes: no text of a picture overlaps another
# or leaves its picture, nothing is wider than the page, and all text stands out from what is behind it
# (a contrast of 4.5, as WCAG 2.1 asks). Chromium is large, so CI does not install it: the test runs
# where SPECMV_CHROMIUM names it. Called by ctest: report_page_test.sh TOOL
set -euo pipefail

readonly tool=$1
readonly bench=${BASH_SOURCE[0]%/*}/../bench/results/2026-11-27-h100-unseen.jsonl.gz
[[ -n ${SPECMV_CHROMIUM:-} ]] || {
  printf 'skipped: SPECMV_CHROMIUM names no browser\n'
  exit 77
}
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT

# The script that is added to a page. It replaces the page by a line for each fault.
cat >"$folder/look.html" <<'PAGE'
<script>
const faults = [], note = (what, e) => faults.push(what + ': "' + e.textContent.trim().slice(0, 60) + '"')
const touch = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4
for (const svg of document.querySelectorAll('svg')) {
  const frame = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll('text')]
  const boxes = texts.map(t => t.getBoundingClientRect())
  texts.forEach((t, i) => {
    const b = boxes[i]
    if (b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 1 || b.bottom > frame.bottom + 1)
      note('clipped', t)
    for (let j = 0; j < i; ++j) if (touch(b, boxes[j])) note('overlaps "' + texts[j].textContent + '"', t)
  })
}
if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is wider than the window')
const light = c => {
  const [r, g, b] = c.match(/[\d.]+/g).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
  return .2126 * r + .7152 * g + .0722 * b
}
const behind = e => {
  for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor
    if (!/, 0\)$/.test(c)) return c
  }
  return 'rgb(255, 255, 255)'
}
const seen = new Set()
for (const e of document.querySelectorAll('main *, header *, nav a')) {
  if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()) || ['TITLE', 'STYLE'].includes(e.tagName.toUpperCase())) continue
  let back = behind(e)
  const inside = e.namespaceURI.endsWith('svg') && e.classList.contains('inside')
  if (inside) back = getComputedStyle(e.parentElement.querySelector('rect.odd, rect.even')).fill
  const front = e.namespaceURI.endsWith('svg') ? getComputedStyle(e).fill : getComputedStyle(e).color
  const [a, b] = [light(front), light(back)].sort((x, y) => y - x), ratio = (a + .05) / (b + .05)
  if (ratio < 4.5 && !seen.has(front + back)) seen.add(front + back), note('contrast ' + ratio.toFixed(2) + ' of ' + front + ' on ' + back, e)
}
document.documentElement.innerHTML = '<pre>' + ['LOOKED', matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light', ...faults].join('\n').replace(/[<&]/g, '-') + '</pre>'
</script>
PAGE

status=0
for matrix in powerlaw:rows=200000,avg=8 stencil5:n=300 dense:rows=1,cols=9999 diagonal:n=1 spike:rows=3000 \
  elasticity:n=12 empty:n=1000 "$bench"; do
  "$tool" report --quiet --target host "$matrix" -o "$folder/plain.html"
  sed '/^<\/body>$/d; /^<\/html>$/d' "$folder/plain.html" | cat - "$folder/look.html" >"$folder/page.html"
  for theme in dark light; do
    number=1
    [[ $theme == light ]] || number=0
    for width in 1100 420; do
      seen=$("$SPECMV_CHROMIUM" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=$width,900 \
        --user-data-dir="$folder/profile" --blink-settings=preferredColorScheme=$number --dump-dom \
        "file://$folder/page.html" 2>/dev/null | sed -n '/LOOKED/,/<\/pre>/{s/<[^>]*>//g;p}')
      [[ $seen == LOOKED$'\n'$theme ]] || {
        printf 'FAILED: %s, %s, %s pixels wide:\n%s\n' "$matrix" "$theme" "$width" "${seen:-no page}"
        status=1
      }
    done
  done
done
exit "$status"
