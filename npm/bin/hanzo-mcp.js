#!/usr/bin/env node
// Starts the program of this platform's package and gets out of the way: same streams, same signals, same exit code.
"use strict";

const { spawn } = require("node:child_process");
const { name, version } = require("../package.json");

const platform = `${process.platform}-${process.arch}`;
const program = process.platform === "win32" ? "hanzo-mcp.exe" : "hanzo-mcp";

let file;
try {
  file = require.resolve(`${name}-${platform}/bin/${program}`);
} catch {
  process.stderr.write(
    `hanzo-mcp: error: there is no program for ${platform} in ${name}@${version}\n` +
      `hanzo-mcp: hint: it exists for linux, darwin and win32 on x64 and arm64; on those, install again without --no-optional or --omit=optional\n`);
  process.exit(1);
}

const args = process.argv.slice(2);
if (process.platform !== "win32" && typeof process.execve === "function") {
  process.emitWarning = () => {}; // execve calls itself experimental; the client's log need not know
  try {
    process.execve(file, [file, ...args], process.env);
  } catch {
    // the older way below
  }
}

const child = spawn(file, args, { stdio: "inherit", windowsHide: true });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (err) => {
  process.stderr.write(`hanzo-mcp: error: starting ${file}: ${err.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  for (const s of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(s);
  process.kill(process.pid, signal);
});
