import { posix } from 'node:path';

export interface ServiceOptions {
  /** Of the daemon, for the service's name. */
  readonly id: string;
  /** Command line of `mcpx`. */
  readonly program: readonly string[];
  readonly config: readonly string[];
  readonly cwd: string;
  /** Of the user. */
  readonly home: string;
  /** PATH for servers; a service has almost no environment. */
  readonly path: string;
}

export interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** Commands to run after the file is written. */
  readonly next: readonly string[];
}

/** A systemd user unit. */
export function systemdUnit({ id, program, config, cwd, home, path }: ServiceOptions): ServiceFile {
  const name = `mcpx-${id}.service`;
  const words = [...program, 'up', '--foreground', ...config.flatMap((file) => ['--config', file])];
  const reload = [...program, 'daemon', 'reload', ...config.flatMap((file) => ['--config', file])];
  return {
    path: posix.join(home, '.config/systemd/user', name),
    text: `[Unit]
Description=MCP servers of ${unitText(config[0] ?? cwd)}

[Service]
ExecStart=${words.map(unitWord).join(' ')}
ExecReload=${reload.map(unitWord).join(' ')}
WorkingDirectory=${unitText(cwd)}
Environment=${unitWord(`PATH=${path}`)}
# The daemon stops its servers itself; systemd kills processes that remain after that.
KillMode=mixed
TimeoutStopSec=30
Restart=on-failure

[Install]
WantedBy=default.target
`,
    next: ['systemctl --user daemon-reload', `systemctl --user enable --now ${name}`],
  };
}

/** A launchd agent for macOS. Without its type, the system throttles the processor and disk time of the daemon and its servers. */
export function launchdPlist({ id, program, config, cwd, home, path }: ServiceOptions): ServiceFile {
  const label = `io.github.mcpx.${id}`;
  const file = posix.join(home, 'Library/LaunchAgents', `${label}.plist`);
  const words = [...program, 'up', '--foreground', ...config.flatMap((name) => ['--config', name])];
  return {
    path: file,
    text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${xml(label)}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${xml(word)}</string>`).join('\n')}
  </array>
  <key>WorkingDirectory</key><string>${xml(cwd)}</string>
  <key>EnvironmentVariables</key>
  <dict><key>PATH</key><string>${xml(path)}</string></dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ExitTimeOut</key><integer>30</integer>
  <key>ProcessType</key><string>Interactive</string>
</dict>
</plist>
`,
    next: [`launchctl bootstrap gui/$(id -u) '${file.replaceAll("'", "'\\''")}'`],
  };
}

/** systemd expands `%` and `$` even in quotes. */
function unitWord(word: string): string {
  const text = unitText(word).replaceAll('$', '$$$$');
  return /^[\w@%+=:,./-]+$/.test(word) ? text : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function unitText(text: string): string {
  return text.replaceAll('%', '%%').replace(/[\r\n]/g, ' ');
}

/** Parsers of XML replace a literal carriage return. */
function xml(text: string): string {
  const marked = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return marked.replaceAll('"', '&quot;').replaceAll('\r', '&#13;');
}
