#!/bin/bash
NAME=x
export OTHER=y
greet() {
  local z=1
  echo hi
}
function main { greet; }
main "$@"
