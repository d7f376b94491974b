import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPackageRunner } from '../../../src/process/command/package-runner.js';

/** The command line in words; none of them holds a space here. */
function runs(line: string): boolean {
  const [command = '', ...args] = line.split(' ');
  return isPackageRunner(command, args);
}

test.each([
  'npx -y @modelcontextprotocol/server-filesystem .',
  '/usr/local/bin/npx server',
  'C:\\nodejs\\npx.cmd -y server',
  'NPX.CMD server',
  'pnpx server',
  'bunx server',
  'uvx mcp-server-git',
  'dnx Some.Server',
  'npm exec server',
  'npm --prefix /srv x server',
  'pnpm dlx server',
  'pnpm --filter app dlx server',
  'yarn dlx server',
  'bun x server',
  'uv tool run server',
  'uv --directory /srv run server.py',
  'pipx run server',
  'docker run -i --rm image',
  'docker --context other run image',
  'docker container run image',
  'docker mcp gateway run',
  'podman run image',
  'nerdctl run image',
  'deno run npm:server',
  'deno run -A jsr:@scope/server',
  'deno run https://example.com/server.ts',
  'go run example.com/server@latest',
  'dotnet tool exec server',
  'nix run nixpkgs#server',
  'cmd /c npx -y server',
  'cmd.exe /C npx server',
  'env TOKEN=a npx server',
  '/usr/bin/env npx server',
  'env -i PATH=/bin uvx server',
  'env TOKEN=a npx server --root=/tmp',
  'env -u OTHER npx server',
  'env --chdir /srv -- npx server',
  'mise exec -- npx server',
  'mise x node@22 -- npx server',
  'volta run --node 22 npx server',
  'asdf exec npx server',
  'op run --env-file .env -- npx server',
  'nohup npx server',
])('%s may have to download what it runs', (line) => {
  expect(runs(line)).toBe(true);
});

test.each([
  'node server.js',
  'python -m server',
  'npm start',
  'npm run exec',
  'pnpm run dlx-something',
  'yarn start',
  'bun server.ts',
  'uv pip list',
  'uvicorn app',
  'pipx list',
  'docker exec -i box run',
  'docker --context run ps',
  'deno run server.ts',
  'go version',
  'cmd /d server.exe',
  'env npm start',
  'env NAME=npx node server.js',
  'mise exec -- node server.js',
  'mise ls npx',
  'volta list npx',
  'sh -c node',
  'run',
  './npx.js',
])('%s runs what is there', (line) => {
  expect(runs(line)).toBe(false);
});

test('judges the commands of a shell script', () => {
  expect(isPackageRunner('sh', ['-c', 'exec npx -y server'])).toBe(true);
  expect(isPackageRunner('bash', ['-lc', ' uvx server --flag'])).toBe(true);
  expect(isPackageRunner('bash', ['-lc'])).toBe(false);
  expect(isPackageRunner('bash', ['-lc', 'cd /srv && npx -y server'])).toBe(true);
  expect(isPackageRunner('bash', ['-l', '-c', 'TOKEN=a exec npx server'])).toBe(true);
  expect(isPackageRunner('sh', ['-c', '. ./env; "npx" server'])).toBe(true);
  expect(isPackageRunner('sh', ['-c', 'cd npx && node server.js'])).toBe(false);
  expect(isPackageRunner('env', ['-S', 'A=b npx server'])).toBe(true);
});

test('never throws for any command and arguments', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('env', '-S', 'sh', '-c', 'cmd', '/c', 'npx', 'mise', 'exec', 'sh -c sh', '--', 'run', 'A=b', ''),
  );
  fc.assert(
    fc.property(word, fc.array(word), (command, args) => {
      expect(typeof isPackageRunner(command, args)).toBe('boolean');
    }),
  );
});
