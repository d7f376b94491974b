import { describe, expect, test } from 'vitest';
import { readServerJson } from '../../src/adding/server-json.js';
import { CommandError } from '../../src/command.js';

const npm = { registryType: 'npm', identifier: 'weather', version: '1.2.3' };
const pypi = { ...npm, registryType: 'pypi' };
const oci = { ...npm, registryType: 'oci', identifier: 'example/weather' };

function read(item: object) {
  return readServerJson({ name: 'io.example/weather', packages: [item] }, { origin: 'server.json' });
}

function argsOf(item: object) {
  return read(item).entry(() => undefined).args;
}

/** The reason of the refusal. */
function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof CommandError) return (error.details ?? []).join('\n');
    throw error;
  }
  return 'not refused';
}

const named = (name: string, value?: string) => ({ type: 'named', name, value });
const positional = (value: string) => ({ type: 'positional', value });
const many = (count: number) =>
  Array.from({ length: count }, () => ({ type: 'positional', valueHint: 'same', isRequired: true }));

describe('the arguments of a package', () => {
  test('of the same name get different inputs', () => {
    const keys = read({ ...npm, packageArguments: many(200) }).inputs.map(({ key }) => key);
    expect(keys.slice(0, 3)).toEqual(['same', 'same2', 'same3']);
    expect(new Set(keys).size).toBe(200);
  });

  test.each([
    ['20,000 arguments', { packageArguments: many(20_000) }],
    ['300 inputs in one text', { packageArguments: [{ ...positional('{a}'.repeat(300)), variables: { a: {} } }] }],
    [
      'inputs within inputs',
      {
        packageArguments: [
          Array.from({ length: 20 }).reduce<object>(
            (variable) => ({ type: 'positional', value: '{a}'.repeat(100), variables: { a: variable } }),
            {},
          ),
        ],
      },
    ],
  ])('are bounded: %s', (_case, more) => {
    expect(refusal(() => read({ ...npm, ...more }))).toContain('more than 200 arguments, variables and inputs');
  });
});

describe('a package that could start another one', () => {
  test.each([
    [{ ...npm, identifier: '--loglevel' }, /npm does not allow/],
    [{ ...npm, identifier: '@-x/y' }, /npm does not allow/],
    [{ ...npm, identifier: '@x/-y' }, /npm does not allow/],
    [{ ...pypi, identifier: '--with' }, /PyPI does not allow/],
    [{ ...oci, identifier: '--privileged' }, /no image can have/],
    [{ ...oci, registryBaseUrl: '--volume=/:/host' }, /not the address of a registry/],
    [{ ...npm, version: '1' }, /no exact version/],
    [{ ...npm, version: '1.x' }, /no exact version/],
    [{ ...npm, version: '1.2.3 || 2' }, /no exact version/],
    [{ ...oci, identifier: 'example/weather:latest' }, /no exact version/],
    [{ ...oci, identifier: 'example/weather:stable' }, /no exact version/],
    [{ ...oci, version: 'main' }, /no exact version/],
    [{ ...pypi, version: '1.x' }, /no exact version/],
    [{ ...pypi, version: '1.*' }, /no exact version/],
    [
      { ...npm, runtimeArguments: [named('--package', 'evil'), named('--call', 'touch x')] },
      /argument --package evil,/,
    ],
    [{ ...npm, runtimeArguments: [named('--package=evil')] }, /argument --package=evil,/],
    [{ ...npm, runtimeArguments: [named('-y', 'evil')] }, /argument -y evil,/],
    [{ ...npm, runtimeArguments: [positional('evil')] }, /argument evil,/],
    [{ ...npm, runtimeArguments: [{ type: 'positional', valueHint: 'x' }] }, /argument x,/],
    [{ ...pypi, runtimeArguments: [named('--with', 'evil')] }, /argument --with evil,/],
    [{ ...pypi, runtimeArguments: [named('--python', '/tmp/evil')] }, /argument --python/],
    [{ ...oci, runtimeArguments: [named('--privileged')] }, /argument --privileged,/],
    [{ ...oci, runtimeArguments: [named('--rm', 'evil')] }, /argument --rm evil,/],
    [{ ...oci, runtimeArguments: [named('--name')] }, /argument --name,/],
    [{ ...oci, runtimeArguments: [positional('evil')] }, /argument evil,/],
    [{ ...npm, environmentVariables: [{ name: 'NPM_CONFIG_registry', value: 'http://x' }] }, /changes what npx starts/],
    [{ ...npm, environmentVariables: [{ name: 'NODE_OPTIONS', value: '-r x' }] }, /changes what npx starts/],
    [{ ...pypi, environmentVariables: [{ name: 'UV_INDEX_URL', value: 'http://x' }] }, /changes what uvx starts/],
    [{ ...oci, environmentVariables: [{ name: 'DOCKER_HOST', value: 'x' }] }, /changes what docker starts/],
  ])('is refused: %j', (item, reason) => {
    expect(refusal(() => read(item))).toMatch(reason);
  });
});

test.each([
  [{ ...npm, version: '1.2.3-rc.1+b' }, ['-y', 'weather@1.2.3-rc.1+b']],
  [{ ...npm, runtimeArguments: [named('-y')] }, ['-y', '-y', 'weather@1.2.3']],
  [{ ...pypi, version: '1!2.0rc1.post2.dev3' }, ['--from', 'weather==1!2.0rc1.post2.dev3', 'weather']],
  [{ ...pypi, runtimeArguments: [named('--python', '3.12')] }, expect.arrayContaining(['--python', '3.12'])],
])('an exact package with harmless arguments is taken: %j', (item, args) => {
  expect(argsOf(item)).toEqual(args);
});

test('a tag of an image is no fixed version, unlike its digest', () => {
  const digest = `@sha256:${'0'.repeat(64)}`;
  expect(read(oci).notes).toEqual([expect.stringContaining('The author of example/weather:1.2.3 can move its tag')]);
  expect(read({ ...oci, identifier: `example/weather${digest}` }).notes).toEqual([]);
  expect(argsOf({ ...oci, identifier: `example/weather:v2${digest}` })?.at(-1)).toBe(`example/weather:v2${digest}`);
});

test('a container that gets a folder of this machine is named', () => {
  const item = { ...oci, runtimeArguments: [named('-v', '/:/host')] };
  expect(read(item).notes).toEqual([
    expect.stringContaining('can move its tag'),
    'The container gets access to this machine: -v /:/host',
  ]);
  expect(argsOf(item)).toEqual(['run', '-i', '--rm', '-v', '/:/host', 'example/weather:1.2.3']);
});

test('a variable that no program can have is left out, with a note', () => {
  const environmentVariables = JSON.parse('[{"name":"__proto__","value":"x"},{"name":"A","value":"b"}]');
  const offer = read({ ...npm, environmentVariables });
  expect(offer.notes).toEqual(['No variable can have the name "__proto__". It was left out.']);
  expect(offer.entry(() => undefined).env).toEqual({ A: 'b' });
});

describe('text of another author', () => {
  test('is shown on one line without escapes', () => {
    const reason = refusal(() => read({ ...npm, identifier: 'x\n\u001b[31mTrusted', version: '1' }));
    expect(reason).toBe('the package x Trusted (npm) has a name that npm does not allow');
  });

  test('is no address with control characters', () => {
    const remotes = [{ type: 'sse', url: 'https://example.com/\n\u001b[2J' }];
    const reason = refusal(() => readServerJson({ name: 'a/b', remotes }, { origin: 'server.json' }));
    expect(reason).toBe('a remote has a "url" with blanks or control characters');
  });
});

test.each(['a/__proto__', 'a/..', 'a/'])('a server named %s gets a name that a config can have', (name) => {
  expect(readServerJson({ name, packages: [npm] }, { origin: 'server.json' }).name).toBe('server');
});
