import { posix, win32 } from 'node:path';

interface InstallDirectoriesQuery {
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly node: string;
}

/** `*` is any one name. Only for hints: nothing runs from here. */
export function installDirectories({ environment, platform, node }: InstallDirectoriesQuery): readonly string[] {
  return platform === 'win32'
    ? windowsDirectories(environment, node)
    : posixDirectories(environment, { platform, node });
}

function posixDirectories(
  environment: NodeJS.ProcessEnv,
  { platform, node }: { platform: NodeJS.Platform; node: string },
): string[] {
  const home = environment.HOME;
  const system = ['/usr/local/bin', '/opt/homebrew/bin', '/home/linuxbrew/.linuxbrew/bin', '/snap/bin', '/usr/bin'];
  const ofUser = [
    '.local/bin',
    '.cargo/bin',
    '.nvm/versions/node/*/bin',
    '.local/share/fnm/node-versions/*/installation/bin',
    '.fnm/node-versions/*/installation/bin',
    '.volta/bin',
    '.asdf/shims',
    '.local/share/mise/shims',
    '.pyenv/shims',
    '.bun/bin',
    '.deno/bin',
    'go/bin',
    '.dotnet/tools',
    '.local/share/pnpm',
    ...(platform === 'darwin'
      ? ['Library/pnpm', 'Library/Application Support/fnm/node-versions/*/installation/bin', '.docker/bin']
      : []),
  ];
  const folders = home === undefined ? [] : ofUser.map((folder) => posix.join(home, folder));
  return [posix.dirname(node), ...folders, ...system];
}

function windowsDirectories(environment: NodeJS.ProcessEnv, node: string): string[] {
  const places: readonly (readonly [root: string | undefined, folder: string])[] = [
    [environment.USERPROFILE, '.local\\bin'],
    [environment.USERPROFILE, '.cargo\\bin'],
    [environment.USERPROFILE, '.bun\\bin'],
    [environment.USERPROFILE, '.deno\\bin'],
    [environment.USERPROFILE, 'scoop\\shims'],
    [environment.APPDATA, 'npm'],
    [environment.APPDATA, 'nvm\\*'],
    [environment.LOCALAPPDATA, 'Programs\\Python\\*'],
    [environment.LOCALAPPDATA, 'Microsoft\\WinGet\\Links'],
    [environment.PROGRAMFILES ?? environment.ProgramFiles, 'nodejs'],
    [environment.PROGRAMFILES ?? environment.ProgramFiles, 'Docker\\Docker\\resources\\bin'],
  ];
  const folders = places.flatMap(([root, folder]) => (root === undefined ? [] : [win32.join(root, folder)]));
  return [win32.dirname(node), ...folders];
}
