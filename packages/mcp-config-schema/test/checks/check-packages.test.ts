import { expect, test } from 'vitest';
import { checkText } from '../helpers/check-text.js';

const mismatches = (entry: object) =>
  checkText(JSON.stringify({ mcp_servers: { a: entry } }), 'mcp_servers.json').issues.map((issue) =>
    issue.code === 'package-mismatch' ? `${issue.package} ≠ ${issue.started}` : issue.code,
  );

test.each([
  ['npx -y b', 'a ≠ b'],
  ['npx --yes @s/a', 'a ≠ @s/a'],
  ['/usr/bin/npx b', 'a ≠ b'],
  ['npx -p b some-bin', 'a ≠ b'],
  ['npx --package=b some-bin', 'a ≠ b'],
  ['npx --registry https://r.example b', 'a ≠ b'],
  ['npm exec -- b --flag', 'a ≠ b'],
  ['pnpm dlx b', 'a ≠ b'],
  ['bunx b', 'a ≠ b'],
  ['uvx --from b c', 'a ≠ b'],
  ['uvx --python 3.12 b', 'a ≠ b'],
  ['uv tool run b', 'a ≠ b'],
  ['pipx run --spec b c', 'a ≠ b'],
  ['cmd /c npx -y b', 'a ≠ b'],
  ['cmd.exe /d /s /c npx.cmd -y b', 'a ≠ b'],
  ['env A=1 B=2 npx -y b', 'a ≠ b'],
  ['/usr/bin/env -i -u PATH npx -y b', 'a ≠ b'],
  ['uv --directory x run b', 'a ≠ b'],
  ['uv --directory x tool run --from b c', 'a ≠ b'],
  ['uv run --with c b', 'a ≠ b'],
  ['npm --prefix x exec b', 'a ≠ b'],
  ['pnpm --dir x dlx b', 'a ≠ b'],
])('%s starts another package', (command, mismatch) => {
  expect(mismatches({ package: 'a', command })).toEqual([mismatch]);
});

test.each([
  ['a', 'npx -y a'],
  ['a', 'npx -y a@1.2.3'],
  ['a@1.2.3', 'npx -y a'],
  ['@s/a@1', 'npx -y @s/a@1 --root b'],
  ['a', 'npx'],
  ['a', 'npx ./a'],
  ['a', 'npx -c "echo b"'],
  ['a', 'npx --call b'],
  ['a', 'node b'],
  ['a', 'npm run b'],
  ['a', 'cmd /c npx -y a'],
  ['a', 'cmd /c'],
  ['a', 'env A=1'],
  ['a', 'env A=1 node b'],
  ['a', 'uv --directory x run a'],
  ['a', 'uv run python -m b'],
  ['a', 'uv run b.py'],
  ['a', 'uv run --with mcp mcp run b.py'],
  ['a', 'uv --directory x sync'],
  ['mcp-server-git', 'uvx mcp_server.git[all]@2.0'],
])('%s is, or may be, the package that %s starts', (name, command) => {
  expect(mismatches({ package: name, command })).toEqual([]);
});

test('compares versions if both sides have one', () => {
  expect(mismatches({ package: 'a@1', command: 'npx -y a@2' })).toEqual(['a@1 ≠ a@2']);
});

test('checks lists and separate arguments, too', () => {
  expect(mismatches({ package: 'a', command: ['npx', '-y', 'b'] })).toEqual(['a ≠ b']);
  expect(mismatches({ package: 'a', command: 'npx', args: ['-y', 'b'] })).toEqual(['a ≠ b']);
});
