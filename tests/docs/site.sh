#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# site.sh SOURCE FOLDER - makes the site of the pages in FOLDER with SOURCE/cmake/site, and checks each page in Chromium, at the widths of a
# desktop and of a phone. Nothing is wider than the screen except parts that scroll, pictures exist, and nothing is loaded from elsewhere.
# Leaves pictures of some pages in FOLDER/pictures. Status 77: MkDocs or Chromium is not installed.
set -euo pipefail
source=$1 folder=$2
if ! command -v mkdocs >/dev/null; then echo "Skipped: there is no mkdocs"; exit 77; fi
if ! chromium=$(command -v chromium); then echo "Skipped: there is no chromium"; exit 77; fi
"$source/cmake/site" "$folder"
[[ $(grep -c '"location"' "$folder/html/search/search_index.json") -gt 0 ]] || { echo "The site has no search"; exit 1; }

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
browse() {
  HOME=$home timeout 100 "$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars --allow-file-access-from-files \
    --virtual-time-budget=10000 "$@" 2>"$home/log" || { cat "$home/log" >&2; return 1; }
}

mapfile -t pages < <(cd "$folder/html" && find . -name '*.html' ! -name 404.html ! -name search.html ! -name look.html | sort)
[[ ${#pages[@]} -gt 20 ]] || { echo "There are only ${#pages[@]} pages"; exit 1; }

# Another page frames the pages and inspects them, because a browser window cannot be as narrow as a phone.
look() {
  {
    echo "<!doctype html><title>wait</title><style>body{margin:0}iframe{border:0;width:$1px;height:2000px}</style>"
    printf '<iframe src="%s"></iframe>\n' "${pages[@]}"
    cat <<END_OF_PAGE
<ul id="faults"></ul>
<script>
const fault = text => { faults.appendChild(document.createElement("li")).textContent = "At $1 pixels: " + text; };
onload = () => {
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument, name = frame.getAttribute("src");
    if (!page.querySelector("h1")) fault(name + " has no heading");
    if (page.documentElement.scrollWidth > $1) fault(name + " is " + page.documentElement.scrollWidth + " wide");
    for (const part of page.querySelectorAll("[role=main] p, [role=main] li, [role=main] h1, [role=main] h2, [role=main] img, table, pre")) {
      const right = part.getBoundingClientRect().right;
      if (right > $1 + 1 && !part.parentElement.closest("table, pre")) fault(name + ": " + part.textContent.slice(0, 60) + " ends at " + right);
    }
    for (const image of page.images) if (!image.naturalWidth) fault(name + " lacks " + image.src);
    for (const other of page.querySelectorAll("script[src], link[rel=stylesheet], img[src], iframe[src]"))
      if (/^(https?:)?\/\//.test(other.getAttribute("src") || other.getAttribute("href"))) fault(name + " loads " + other.outerHTML);
  }
  document.title = "done";
};
</script>
END_OF_PAGE
  } >"$folder/html/look.html"
  browse --dump-dom "file://$folder/html/look.html" >"$home/dom"
  grep -q '<title>done</title>' "$home/dom" || { echo "At $1 pixels the pages were not looked at"; exit 1; }
  if grep -o '<li>At [^<]*' "$home/dom" | sed 's/<li>//'; then failed=1; fi
}

failed=0
mkdir -p "$folder/pictures"
for width in 1000 400; do
  look "$width"
  for page in index docs/settings docs/performance docs/functions; do
    cat >"$folder/html/look.html" <<<"<!doctype html><style>body{margin:0}iframe{border:0;width:${width}px;height:1600px}</style><iframe src=\"$page.html\"></iframe>"
    browse --window-size="$width,1600" --screenshot="$folder/pictures/${page##*/}-$width.png" "file://$folder/html/look.html"
  done
done
rm "$folder/html/look.html"
exit "$failed"
