import { spawn } from 'node:child_process';
import { win32 } from 'node:path';

interface Machine {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens a page in the user's browser. The address is one argument of the program and never passes through a shell.
 *
 * @returns False if this machine has no display, for example over SSH.
 */
export async function openPage(url: URL, machine: Machine): Promise<boolean> {
  return isWebPage(url) && openTarget(url.href, machine);
}

/** The same for the absolute path of a file or a checked address. */
export async function openTarget(target: string, machine: Machine): Promise<boolean> {
  const command = openerCommand(target, machine);
  if (!command) return false;
  const [file, ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: 'ignore', detached: true, env: { ...machine.env }, windowsHide: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
    child.unref();
  });
}

/** `undefined` without a display, or for an address that is no web page. */
export function pageCommand(url: URL, machine: Machine): readonly [string, ...string[]] | undefined {
  return isWebPage(url) ? openerCommand(url.href, machine) : undefined;
}

function isWebPage({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

function openerCommand(target: string, { platform, env }: Machine): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open', target];
  // cmd.exe would interpret "&" and "%" in the argument of "start". The path is absolute, because a bare name would be
  // searched in the current directory first.
  if (platform === 'win32') {
    const systemRoot = env.SystemRoot ?? env.SYSTEMROOT ?? 'C:\\Windows';
    return [win32.join(systemRoot, 'System32', 'rundll32.exe'), 'url.dll,FileProtocolHandler', target];
  }
  const hasScreen = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return hasScreen ? ['xdg-open', target] : undefined;
}
