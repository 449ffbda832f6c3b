#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# check.sh PAGE DOCS FIGURE... - checks the page in Chromium, at the widths of a desktop and of phones. The figures with these ids, and
# those of all tables of the pages in DOCS, exist and are not empty. Nothing is wider than the screen except parts that scroll. Texts are
# large enough. Nothing is loaded from elsewhere. Leaves pictures next to the page. Status 77: Chromium is not installed.
set -euo pipefail
page=$1 docs=$2
# The table of settings is generated from the library, not from results.
mapfile -t figures < <(
  if (($# > 2)); then printf '%s\n' "${@:3}"; fi
  sed -n 's/^<!-- \([a-z-]*\):begin -->$/tab-\1/p' "$docs"/*.md | grep -vx tab-settings
)

if ! chromium=$(command -v chromium); then
  echo "Skipped: there is no chromium"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$page" "$folder/page.html"

browse() {
  HOME=$folder timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars \
    --allow-file-access-from-files --virtual-time-budget=5000 "$@" 2>"$folder/log" || {
    cat "$folder/log" >&2
    return 1
  }
}

# Another page with a script frames the page and inspects it, because a browser window cannot be as narrow as a phone.
look() {
  local width=$1
  cat >"$folder/look.html" <<END_OF_PAGE
<!doctype html><title>wait</title><style>body{margin:0}iframe{border:0;width:${width}px;height:${2}px}</style>
<iframe id="frame" src="page.html"></iframe><ul id="faults"></ul>
<script>
const fault = text => { faults.appendChild(document.createElement("li")).textContent = "At $width pixels: " + text; };
frame.onload = () => {
  const page = frame.contentDocument;
  for (const id of "${figures[*]}".split(" ")) {
    const figure = page.getElementById(id);
    if (!figure) fault("no figure " + id);
    else if (!figure.querySelector("svg path, svg rect, td, pre, img")) fault(id + " has nothing in it");
    else if (!figure.querySelector("figcaption code").textContent.trim()) fault(id + " does not tell its command");
  }
  if (page.documentElement.scrollWidth > $width) fault("the page is " + page.documentElement.scrollWidth + " wide");
  for (const image of page.images) if (!image.naturalWidth) fault("broken image " + image.src);
  for (const other of page.querySelectorAll("script, link, iframe, [src]")) fault("not by itself: " + other.outerHTML);
  for (const svg of page.querySelectorAll("svg")) {
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    for (const text of svg.querySelectorAll("text")) {
      if (scale * parseFloat(frame.contentWindow.getComputedStyle(text).fontSize) < 9)
        fault("small text in " + svg.getAttribute("aria-label") + ": " + text.textContent);
      const around = svg.getBoundingClientRect(), box = text.getBoundingClientRect();
      if (box.left < around.left - 2 || box.right > around.right + 2)
        fault("cut text in " + svg.getAttribute("aria-label") + ": " + text.textContent);
    }
  }
  document.title = "looked";
};
</script>
END_OF_PAGE
  browse --window-size="$width,$2" --dump-dom "file://$folder/look.html" >"$folder/dom"
  browse --window-size="$width,$2" --screenshot="$folder/picture.png" "file://$folder/look.html" >/dev/null
  cp "$folder/picture.png" "${page%.html}-$width.png"
  grep -q '<title>looked' "$folder/dom" || { echo "Chromium did not load the page"; return 1; }
  ! grep -o '<li>[^<]*' "$folder/dom"
}

look 1000 16000
look 420 16000
look 360 16000
echo "Seen: ${#figures[@]} figures, at 1000, 420 and 360 pixels"
