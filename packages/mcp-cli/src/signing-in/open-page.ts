import { spawn } from 'node:child_process';
import { win32 } from 'node:path';

export interface Machine {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Shows a page in the user's browser. The address goes to the program as one argument and to no shell.
 *
 * @returns Whether a browser was asked. `false`: there is none to be seen on this machine, as over SSH.
 */
export async function openPage(url: URL, machine: Machine): Promise<boolean> {
  return isWebPage(url) && openTarget(url.href, machine);
}

/** The same for what we made ourselves: the absolute path of a file, or an address that was checked. */
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

/** `undefined` where nobody would see the page, or for an address that is no web page. */
export function pageCommand(url: URL, machine: Machine): readonly [string, ...string[]] | undefined {
  return isWebPage(url) ? openerCommand(url.href, machine) : undefined;
}

function isWebPage({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

function openerCommand(target: string, { platform, env }: Machine): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open', target];
  // "start" would be a command of cmd.exe, which reads "&" and "%" in the address as its own.
  // By its whole path: a name alone would be looked for in the current directory first.
  if (platform === 'win32') {
    const systemRoot = env.SystemRoot ?? env.SYSTEMROOT ?? 'C:\\Windows';
    return [win32.join(systemRoot, 'System32', 'rundll32.exe'), 'url.dll,FileProtocolHandler', target];
  }
  const hasScreen = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return hasScreen ? ['xdg-open', target] : undefined;
}
