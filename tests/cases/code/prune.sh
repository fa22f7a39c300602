prune_backups() {
  local root=$1 days=${2:-30} folder total=0
  for folder in "$root"/*/; do
    [[ -e $folder/.keep ]] && continue
    local newest=$(ls -t "$folder" | head -n 1)
    if [[ -z $newest || $(stat -c %Y "$folder/$newest") -lt $((now - days * 86400)) ]]; then
      tar -czf "$root/${folder##*/}.tgz" -C "$folder" . && rm -rf -- "${folder:?}"
      total=$((total + 1))
    fi
  done
  printf '%d of %d\n' "$total" "$(find "$root" -mindepth 1 -maxdepth 1 | wc -l)"
}
