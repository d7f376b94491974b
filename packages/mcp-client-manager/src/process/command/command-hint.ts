interface MissingCommand {
  readonly elsewhere: readonly string[];
  readonly isPath: boolean;
  readonly directory: string;
  readonly source: 'inherited' | 'login-shell';
}

export function hintForMissing(command: string, { elsewhere, isPath, directory, source }: MissingCommand): string {
  if (/\s/.test(command.trim())) {
    return 'If that is a whole command line, put only the program into "command" and the rest into "args".';
  }
  if (isPath) return `Relative paths start from ${directory}. Correct the path, or install the program there.`;
  const [first] = elsewhere;
  if (first !== undefined) {
    const orShell = source === 'inherited' ? "set commandPath: 'login-shell' if your terminal finds it, or " : '';
    return `It is not on PATH, but it exists at ${first}: ${orShell}give the full path.`;
  }
  const origin = sources.get(command.toLowerCase().replace(/\.(cmd|exe)$/, ''));
  return origin === undefined
    ? 'Install it, or give its full path.'
    : `Install ${origin.name}, which provides it (${origin.how}), or give its full path.`;
}

export function hintForUnusable(file: string, platform: NodeJS.Platform): string {
  const interpreter = interpreters.find(([extension]) => file.endsWith(extension))?.[1];
  if (platform === 'win32') {
    // Installers for Windows have no "python3".
    const program = interpreter === undefined ? 'its interpreter' : `"${interpreter.replace('python3', 'python')}"`;
    return `Windows starts only .exe, .com, .cmd and .bat files: set "command" to ${program} and put the file into "args".`;
  }
  return interpreter === undefined
    ? 'Make it executable (chmod +x), or start it with its interpreter.'
    : `Make it executable (chmod +x), or set "command" to "${interpreter}" and put the file into "args".`;
}

export const hintForDirectory = 'Create it or change "cwd".';

interface Source {
  readonly name: string;
  readonly how: string;
}

const node: Source = { name: 'Node.js', how: 'https://nodejs.org' };
const uv: Source = { name: 'uv', how: 'https://docs.astral.sh/uv' };
const python: Source = { name: 'Python', how: 'https://www.python.org/downloads' };

const sources = new Map<string, Source>([
  ['node', node],
  ['npm', node],
  ['npx', node],
  ['pnpm', { name: 'pnpm', how: 'npm install -g pnpm' }],
  ['pnpx', { name: 'pnpm', how: 'npm install -g pnpm' }],
  ['yarn', { name: 'Yarn', how: 'npm install -g yarn' }],
  ['bun', { name: 'Bun', how: 'https://bun.sh' }],
  ['bunx', { name: 'Bun', how: 'https://bun.sh' }],
  ['deno', { name: 'Deno', how: 'https://deno.com' }],
  ['uv', uv],
  ['uvx', uv],
  ['python', { ...python, how: `${python.how}; where only "python3" exists, use that name` }],
  ['python3', python],
  ['pip', python],
  ['pipx', { name: 'pipx', how: 'https://pipx.pypa.io' }],
  ['docker', { name: 'Docker', how: 'https://docs.docker.com/get-docker' }],
  ['podman', { name: 'Podman', how: 'https://podman.io' }],
  ['go', { name: 'Go', how: 'https://go.dev/dl' }],
  ['cargo', { name: 'Rust', how: 'https://rustup.rs' }],
  ['java', { name: 'Java', how: 'https://adoptium.net' }],
  ['dotnet', { name: '.NET', how: 'https://dotnet.microsoft.com/download' }],
  ['dnx', { name: '.NET 10', how: 'https://dotnet.microsoft.com/download' }],
]);

const interpreters: readonly (readonly [extension: string, interpreter: string])[] = [
  ['.py', 'python3'],
  ['.js', 'node'],
  ['.mjs', 'node'],
  ['.cjs', 'node'],
  ['.ts', 'node'],
  ['.sh', 'sh'],
  ['.jar', 'java'],
];
