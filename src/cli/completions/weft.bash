# SPDX-License-Identifier: Apache-2.0
# bash completion of weft.

_weft() {
  local cur prev words cword
  if declare -F _init_completion >/dev/null; then
    _init_completion -n := || return
  else
    words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  fi

  local common="--help --json --verbose --quiet"
  local gpu="--gpu --gpu-library"
  local limits="--max-memory --max-tables --max-time --max-fuel --max-gpu-time --max-gpu-memory --max-gpu-objects --max-gpu-buffers --max-gpu-textures --max-gpu-mapped --max-gpu-bindings --max-gpu-shader --max-gpu-shaders --max-gpu-pipelines --max-gpu-compile-time --max-gpu-errors"
  local command="" i
  for ((i = 1; i < cword; i++)); do
    case ${words[i]} in
      run | exec | inspect | gpus | help) command=${words[i]}; break ;;
    esac
  done

  case $prev in
    --work-format) COMPREPLY=($(compgen -W "rgba8unorm rgba16float rgba32float" -- "$cur")); return ;;
    --fit) COMPREPLY=($(compgen -W "contain cover fill" -- "$cur")); return ;;
    --deny) COMPREPLY=($(compgen -W "gpu" -- "$cur")); return ;;
    --grant) COMPREPLY=($(compgen -W "files= write= network env=" -- "$cur")); return ;;
    --frames | --size | --gpu | --max-* | --invoke) return ;;
  esac

  if [[ $cur == -* ]]; then
    case $command in
      "") COMPREPLY=($(compgen -W "--help --version" -- "$cur")) ;;
      run) COMPREPLY=($(compgen -W "--plugin --output --frames --work-format --size --fit --overwrite --deny $gpu $limits $common" -- "$cur")) ;;
      exec) COMPREPLY=($(compgen -W "--invoke --grant --deny $gpu $limits $common" -- "$cur")) ;;
      inspect) COMPREPLY=($(compgen -W "$limits $common" -- "$cur")) ;;
      gpus) COMPREPLY=($(compgen -W "$gpu $common" -- "$cur")) ;;
    esac
    return
  fi

  case $command in
    "" | help) COMPREPLY=($(compgen -W "run exec inspect gpus help" -- "$cur")) ;;
    gpus) ;;
    *)
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -- "$cur"))
      ;;
  esac
}
complete -F _weft weft
