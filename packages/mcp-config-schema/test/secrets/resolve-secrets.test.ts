import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ConfigError, formatIssue, isConfigError, parseConfig } from '../../src/index.js';
import { checkSecrets, keychainSecret, resolveSecrets, type SecretOptions } from '../../src/secrets.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'secrets-'));
});
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));

const isWindows = process.platform === 'win32';
const node = JSON.stringify(process.execPath);

const serversWith = (reference: string) =>
  parseConfig({
    text: JSON.stringify({ mcp_servers: { a: { command: 'x', env: { TOKEN: { secret_ref: reference } } } } }),
    file: 'm.json',
  }).servers;

/** The value of a reference, or the message of its issue. */
async function lookUp(reference: string, options: SecretOptions = {}): Promise<string | undefined> {
  const { issues, servers } = await checkSecrets(serversWith(reference), { root, ...options });
  const [server] = servers;
  if (issues[0] !== undefined) return issues[0].message.replace(/^.* cannot be resolved: /, '');
  return server?.transport === 'stdio' ? server.env.TOKEN : undefined;
}

describe('env', () => {
  test('is a variable of the given environment', async () => {
    expect(await lookUp('env:GIVEN', { env: { GIVEN: 'sesame' } })).toBe('sesame');
    expect(await lookUp('env:MISSING', { env: {} })).toBe('the variable MISSING is not set');
    expect(await lookUp('env:toString', { env: {} })).toBe('the variable toString is not set');
    expect(await lookUp('env:EMPTY', { env: { EMPTY: '' } })).toBe('it is empty');
  });
});

describe('file', () => {
  const write = async (name: string, text: string | Uint8Array, mode = 0o600) => {
    await writeFile(join(root, name), text);
    await chmod(join(root, name), mode);
  };

  test('is the text of a file without its last line end', async () => {
    await write('token', 'sesame\n');
    expect(await lookUp('file:token')).toBe('sesame');
    expect(await lookUp(`file:${join(root, 'token')}`)).toBe('sesame');
    expect(await lookUp('file:~/token', { env: { HOME: root } })).toBe('sesame');
    await mkdir(join(root, 'a$&b'));
    await write('a$&b/token', 'open');
    expect(await lookUp('file:~/token', { env: { HOME: join(root, 'a$&b') } })).toBe('open');
    await write('lines', ' two\r\nlines\r\n');
    expect(await lookUp('file:lines')).toBe(' two\r\nlines');
  });

  test('is UTF-8, without a byte order mark', async () => {
    await write('marked', '\uFEFFsesame\n');
    expect(await lookUp('file:marked')).toBe('sesame');
    await write('latin', Uint8Array.of(0x73, 0xe9, 0x73, 0x61, 0x6d, 0x65));
    expect(await lookUp('file:latin')).toBe(`${join(root, 'latin')} is not UTF-8 text`);
  });

  test.skipIf(isWindows)('is rejected if other users can read it', async () => {
    await write('open', 'sesame', 0o644);
    expect(await lookUp('file:open')).toBe(
      `${join(root, 'open')} can be read or changed by other users (mode 644); run "chmod 600" on it`,
    );
    await symlink(join(root, 'open'), join(root, 'link'));
    expect(await lookUp('file:link')).toContain('mode 644');
  });

  test('is rejected if missing, not a file, or too long', async () => {
    expect(await lookUp('file:nowhere')).toBe(`${join(root, 'nowhere')} does not exist`);
    if (!isWindows) expect(await lookUp('file:.')).toBe(`${root} is not a file`);
    await write('long', 'x'.repeat(65_537));
    expect(await lookUp('file:long')).toBe(`${join(root, 'long')} has more than 65536 bytes`);
  });

  test.skipIf(isWindows)('does not wait for a named pipe', async () => {
    expect(await lookUp('command:mkfifo -m 600 pipe')).toBe('it is empty');
    expect(await lookUp('file:pipe')).toBe(`${join(root, 'pipe')} is not a file`);
  });
});

describe('command', () => {
  const script = (code: string) => `command:${node} -e ${JSON.stringify(code)}`;

  /** Starts another program, which keeps its output open, and then ends or stays. */
  const leaving = async (name: string, way: 'end' | 'stay' = 'end') => {
    const path = join(root, name);
    const code = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
        stdio: ['ignore', 'inherit', 'ignore'],
      });
      require('node:fs').writeFileSync(__filename + '.pid', String(child.pid));
      child.unref();
      process.stdout.write(JSON.stringify({ value: 'sesame', pid: child.pid }));
      ${way === 'stay' ? 'setInterval(() => {}, 1000);' : ''}`;
    await writeFile(path, code);
    return path;
  };

  /** Resolves when a process has ended. */
  const gone = (pid: number) =>
    vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 20_000, interval: 20 });

  test('is the output of a program, without its last line end', async () => {
    expect(await lookUp(script("console.log('sesame')"))).toBe('sesame');
    expect(await lookUp(script('process.stdout.write(process.cwd())'))).toContain('secrets-');
    expect(await lookUp(script('process.stdout.write(process.env.GIVEN)'), { env: { GIVEN: 'yes' } })).toBe('yes');
  });

  test('runs without a shell', async () => {
    expect(await lookUp(`command:${node} -p process.argv[1] "$(id); a | b"`)).toBe('$(id); a | b');
  });

  test.runIf(isWindows)('starts nothing from the current directory', async () => {
    const name = 'NoDefaultCurrentDirectoryInExePath';
    expect(await lookUp(script(`process.stdout.write(process.env.${name})`))).toBe('1');
  });

  test('that fails is reported by its exit code, without its output', async () => {
    expect(await lookUp(script("console.log('sesame'); console.error('sesame'); process.exit(3)"))).toBe(
      `${process.execPath} ended with exit code 3; run it by hand to see why`,
    );
    expect(await lookUp('command:no-such-program-anywhere x')).toBe('no-such-program-anywhere was not found');
    expect(await lookUp('command:a "b')).toBe('the command line has a quote that is not closed');
    expect(await lookUp(script("process.stdout.write('x'.repeat(100_000))"))).toContain('wrote more than 65536 bytes');
  });

  test('is UTF-8, without a byte order mark', async () => {
    expect(await lookUp(script("process.stdout.write('\\uFEFFsesame')"))).toBe('sesame');
    expect(await lookUp(script('process.stdout.write(Buffer.from([255, 254, 65]))'))).toBe(
      `what ${process.execPath} wrote is not UTF-8 text`,
    );
  });

  test.skipIf(isWindows)('ends with its program, and ends remaining child processes', async () => {
    const { pid, value } = JSON.parse(
      (await lookUp(`command:${node} ${JSON.stringify(await leaving('leave.cjs'))}`)) ?? '',
    );
    expect(value).toBe('sesame');
    await gone(pid);
  });

  test.skipIf(isWindows)('that does not finish is ended with all its child processes', async () => {
    const answer = await lookUp(`command:${node} ${JSON.stringify(await leaving('stay.cjs', 'stay'))}`, {
      timeoutMs: 2_000,
    });
    expect(answer).toBe('there was no result within 2 seconds');
    await gone(Number(await readFile(join(root, 'stay.cjs.pid'), 'utf8')));
  });

  test('that reads its input gets end of file', async () => {
    expect(await lookUp(script("process.stdin.resume().on('end', () => console.log('over'))"))).toBe('over');
  });

  test('that does not finish is ended', async () => {
    expect(await lookUp(script('setInterval(() => {}, 1000)'), { timeoutMs: 300 })).toBe(
      'there was no result within 0.3 seconds',
    );
  });

  test('is ended when no caller waits any more', async () => {
    const controller = new AbortController();
    const waiting = lookUp('slow:x', {
      signal: controller.signal,
      resolvers: {
        slow: () => {
          controller.abort(new Error('changed my mind'));
          return new Promise(() => undefined);
        },
      },
    });
    await expect(waiting).rejects.toThrow('changed my mind');
  });
});

describe('keychain', () => {
  const keyring = (password: (service: string, account: string) => Promise<string | null>) =>
    keychainSecret(async () => ({
      AsyncEntry: class {
        readonly #entry: [string, string];
        constructor(service: string, account: string) {
          this.#entry = [service, account];
        }
        getPassword() {
          return password(...this.#entry);
        }
      },
    }));

  test('is an entry of the keychain, by service and account', async () => {
    const resolvers = { keychain: keyring(async (service, account) => `${service}|${account}`) };
    expect(await lookUp('keychain:github/ada/work', { resolvers })).toBe('github|ada/work');
  });

  test('reports missing parts', async () => {
    const empty = { keychain: keyring(async () => null) };
    expect(await lookUp('keychain:github/ada', { resolvers: empty })).toBe(
      'the keychain has no account "ada" of service "github"',
    );
    expect(await lookUp('keychain:github', { resolvers: empty })).toBe(
      '"github" does not name a service and an account',
    );
    const locked = { keychain: keyring(() => Promise.reject(new Error('locked: sesame'))) };
    expect(await lookUp('keychain:github/ada', { resolvers: locked })).toBe(
      'the keychain of this system cannot be reached, or denied access to the entry',
    );
    const absent = { keychain: keychainSecret(() => Promise.reject(new Error('no such package'))) };
    expect(await lookUp('keychain:github/ada', { resolvers: absent })).toBe(
      'the keychain needs @napi-rs/keyring, which is not installed',
    );
  });

  test('of this system returns the entry, or reports that it is missing or unreachable', async () => {
    expect(await lookUp('keychain:mcp-config-schema-test/nobody')).toMatch(
      /^the keychain (has no account|of this system cannot)/,
    );
  });
});

describe('resolvers', () => {
  test('are called by scheme, once per reference', async () => {
    let asked = 0;
    const vault = (rest: string) => {
      asked += 1;
      return `value of ${rest}`;
    };
    const env = { A: { secret_ref: 'vault:one' }, B: { secret_ref: 'vault:one' } };
    const text = JSON.stringify({ mcp_servers: { a: { command: 'x', env }, b: { command: 'x', env } } });
    const { servers } = await resolveSecrets(parseConfig({ text, file: 'm.json' }).servers, { resolvers: { vault } });
    expect(servers).toMatchObject([
      { env: { A: 'value of one', B: 'value of one' }, secrets: undefined },
      { env: { A: 'value of one', B: 'value of one' }, secrets: undefined },
    ]);
    expect(asked).toBe(1);
  });

  test('that are unknown are an issue with the known ones', async () => {
    const { issues } = await checkSecrets(serversWith('keychian:a/b'));
    expect(issues).toMatchObject([
      { code: 'unresolved-secret', scheme: 'keychian', hint: 'did you mean "keychain:"?' },
    ]);
    const none = await checkSecrets(serversWith('op://vault'), { resolvers: { command: undefined } });
    expect(none.issues).toMatchObject([{ hint: 'known schemes: env, file, keychain' }]);
  });

  test.each(['hunter2S3cret', 'Hunter2:S3cret', ':hunter2', 'hunter two:S3cret', ''])(
    'are not called for other texts, which are never printed: %s',
    async (reference) => {
      const secret = { key: 'TOKEN', reference, path: ['a'], source: { file: 'm.json', line: 1, column: 1 } };
      const servers = serversWith('env:A').map((server) => ({ ...server, secrets: [secret] }));
      const { issues } = await checkSecrets(servers);
      expect(issues).toEqual([
        {
          code: 'unresolved-secret',
          severity: 'error',
          message: 'The secret TOKEN of server "a" cannot be resolved: it is not a reference',
          hint: 'write a reference such as "env:NAME" or "keychain:service/account"',
          scheme: '',
          path: ['a'],
          file: 'm.json',
          line: 1,
          column: 1,
        },
      ]);
    },
  );

  test('that fail have their message printed only if it is meant for people', async () => {
    const resolvers = {
      careless: () => {
        throw new TypeError('cannot parse sesame');
      },
      careful: () => Promise.reject(new ConfigError('secret-unavailable', 'the vault is sealed')),
      wrong: () => 5 as unknown as string,
    };
    expect(await lookUp('careless:x', { resolvers })).toBe('its resolver failed with TypeError');
    expect(await lookUp('careful:x', { resolvers })).toBe('the vault is sealed');
    expect(await lookUp('wrong:x', { resolvers })).toBe('its resolver did not return text');
  });
});

describe('resolveSecrets', () => {
  test('throws one error with an issue for each missing value, at its position', async () => {
    const text = `mcp_servers:
  a:
    command: x
    env:
      ONE: { secret_ref: "env:ONE" }
      TWO: { secret_ref: "env:TWO" }
  b:
    url: https://example.com
    headers:
      Authorization: { secret_ref: "env:LINES" }
`;
    const { servers } = parseConfig({ text, file: 'm.yaml' });
    const failure = await resolveSecrets(servers, { env: { TWO: 'sesame', LINES: 'a\nb' } }).catch((error) => error);
    if (!isConfigError(failure)) throw failure;
    expect(failure).toMatchObject({ code: 'invalid-config' });
    expect(failure.issues.map((issue) => formatIssue(issue))).toEqual([
      'm.yaml:5:12 error unresolved-secret The secret ONE of server "a" cannot be resolved: the variable ONE is not set',
      'm.yaml:10:22 error unresolved-secret The secret Authorization of server "b" cannot be resolved: it has several lines, which a header cannot contain',
    ]);
    expect(inspect(failure, { depth: 10 })).not.toContain('sesame');
  });

  test('returns a redactor for every value, which extends the given one', async () => {
    const before = await resolveSecrets([]);
    const { redactor } = await resolveSecrets(serversWith('env:A'), {
      env: { A: 'sesame' },
      redactor: before.redactor.with(['other']),
    });
    expect(redactor.redact('sesame and other')).toBe('*** and ***');
  });

  test('leaves servers without references unchanged', async () => {
    const { servers } = parseConfig({ text: 'mcp_servers: { a: { command: x, env: { A: b } } }' });
    expect((await resolveSecrets(servers)).servers).toEqual(servers);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'rejects a timeout of %d milliseconds',
    async (timeoutMs) => {
      await expect(resolveSecrets([], { timeoutMs })).rejects.toThrow(TypeError);
    },
  );
});
