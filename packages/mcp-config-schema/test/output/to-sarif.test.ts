import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkConfig } from '../../src/index.js';
import { fileUri } from '../../src/output/to-sarif.js';
import { toSarif } from '../../src/report.js';
import { issueExamples } from '../helpers/issue-examples.js';

const exampleIssues = Object.values(issueExamples)
  .filter(({ isLong }) => !isLong)
  .flatMap(({ inputs, options }) => checkConfig(inputs, options).issues);

const text = { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } } as const;
const locations = {
  type: 'array',
  uniqueItems: true,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['physicalLocation'],
    properties: {
      message: text,
      physicalLocation: {
        type: 'object',
        additionalProperties: false,
        required: ['artifactLocation', 'region'],
        properties: {
          artifactLocation: {
            type: 'object',
            required: ['uri'],
            properties: { uri: { type: 'string', minLength: 1 } },
          },
          region: {
            type: 'object',
            additionalProperties: false,
            required: ['startLine', 'startColumn'],
            properties: { startLine: { type: 'integer', minimum: 1 }, startColumn: { type: 'integer', minimum: 1 } },
          },
        },
      },
    },
  },
} as const;

/** Requirements of the standard for the parts written here, including property names. */
const essentials = {
  type: 'object',
  additionalProperties: false,
  required: ['version', 'runs'],
  properties: {
    $schema: { type: 'string' },
    version: { const: '2.1.0' },
    runs: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['tool', 'results'],
        properties: {
          columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
          tool: {
            type: 'object',
            additionalProperties: false,
            required: ['driver'],
            properties: {
              driver: {
                type: 'object',
                additionalProperties: false,
                required: ['name'],
                properties: {
                  name: { type: 'string' },
                  version: { type: 'string' },
                  informationUri: { type: 'string' },
                  rules: {
                    type: 'array',
                    uniqueItems: true,
                    items: {
                      type: 'object',
                      additionalProperties: false,
                      required: ['id'],
                      properties: { id: { type: 'string' }, shortDescription: text, helpUri: { type: 'string' } },
                    },
                  },
                },
              },
            },
          },
          results: {
            type: 'array',
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['message'],
              properties: {
                ruleId: { type: 'string' },
                ruleIndex: { type: 'integer', minimum: 0 },
                level: { enum: ['none', 'note', 'warning', 'error'] },
                message: text,
                locations,
                relatedLocations: locations,
              },
            },
          },
        },
      },
    },
  },
};

test('the log has the structure of SARIF 2.1.0, for every kind of issue', () => {
  const validate = new Ajv({ allErrors: true }).compile(essentials);
  for (const log of [
    toSarif(exampleIssues),
    toSarif([]),
    toSarif(exampleIssues, { toolName: 'x', toolVersion: '1' }),
  ]) {
    const plain: unknown = JSON.parse(JSON.stringify(log));
    expect(validate(plain) ? [] : validate.errors).toEqual([]);
  }
});

test('a result refers to its rule, its position and the related position', () => {
  const inputs = issueExamples['duplicate-server'].inputs;
  const log = toSarif(checkConfig(inputs).issues, { toolVersion: '1.2.3' });
  expect(log.runs[0].tool.driver).toMatchObject({ name: 'mcp-config-schema', version: '1.2.3' });
  expect(log.runs[0].tool.driver.rules).toEqual([
    {
      id: 'duplicate-server',
      shortDescription: { text: 'Two files of one layer define the same server' },
      helpUri: 'https://github.com/x/mcp-plumbing/blob/main/docs/errors/duplicate-server.md',
    },
  ]);
  const place = (uri: string, startLine: number, startColumn: number) => ({
    physicalLocation: { artifactLocation: { uri }, region: { startLine, startColumn } },
  });
  expect(log.runs[0].results).toEqual([
    {
      ruleId: 'duplicate-server',
      ruleIndex: 0,
      level: 'error',
      message: {
        text: 'Server "git" is defined in two files: also in mcp_servers.yaml, line 2\nrename one of the two, or remove it',
      },
      locations: [place('.mcp.json', 3, 5)],
      relatedLocations: [{ ...place('mcp_servers.yaml', 2, 3), message: { text: 'The first of the two' } }],
    },
  ]);
});

test('each rule is listed once, and every index refers to its rule', () => {
  const [run] = toSarif(exampleIssues).runs;
  const ids = run.tool.driver.rules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { ruleId, ruleIndex } of run.results) expect(ids[ruleIndex]).toBe(ruleId);
});

test('columns count UTF-16 code units', () => {
  const { issues } = checkConfig({ file: 'm.yaml', text: 'mcp_servers:\n  😀: { command: x, y: 1 }\n' });
  const [run] = toSarif(issues).runs;
  expect(run.columnKind).toBe('utf16CodeUnits');
  expect(run.results[0]?.locations).toMatchObject([
    { physicalLocation: { region: { startLine: 2, startColumn: 21 } } },
  ]);
});

test('an issue of a text without a name has no location', () => {
  const { issues } = checkConfig([
    { text: 'mcp_servers: { a: { command: x } }' },
    { text: 'mcp_servers: { a: { command: x } }' },
  ]);
  expect(toSarif(issues).runs[0].results).toMatchObject([{ ruleId: 'duplicate-server', locations: [] }]);
});

test.each([
  ['mcp_servers.yaml', 'mcp_servers.yaml'],
  ['config/mcp servers.yaml', 'config/mcp%20servers.yaml'],
  ['/srv/app/#1/ü.yaml', 'file:///srv/app/%231/%C3%BC.yaml'],
  ['C:\\app\\mcp.json', 'file:///C:/app/mcp.json'],
  ['config\\mcp.json', 'config/mcp.json'],
  ['\\\\host\\share\\mcp.json', 'file://host/share/mcp.json'],
  ['../x.yaml', '../x.yaml'],
])('%s is %s', (path, uri) => {
  expect(fileUri(path)).toBe(uri);
});

test('any path becomes a URI', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (path) => {
      expect(fileUri(path)).toMatch(/^[\w.~!*'()%/:-]*$/);
    }),
  );
});
