import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkConfig } from '../../src/parse-config.js';
import { jsonSchemas } from '../../src/schema/json-schemas.js';
import { fieldTable, type JsonSchema } from '../helpers/field-table.js';

const page = readFileSync(new URL('../../../../docs/config-files.md', import.meta.url), 'utf8');

function propertiesOf(name: string): Readonly<Record<string, JsonSchema>> {
  return (JSON.parse(JSON.stringify(jsonSchemas()[name])) as JsonSchema).properties ?? {};
}

const { mcp_servers: servers, mcp_settings: settings } = propertiesOf('mcp-servers.schema.json');
const { tools } = propertiesOf('tools.schema.json');
const { mcpServers } = propertiesOf('mcp-json.schema.json');

const server = servers?.additionalProperties?.properties;
const tool = tools?.additionalProperties?.properties;
const roleRestrictions = tool?.role_restrictions?.additionalProperties?.properties;

test.each([
  ['a server', server],
  ['a health check', server?.health_check?.properties],
  ['an override', server?.tools?.additionalProperties?.properties],
  ['a sign-in', server?.auth?.properties],
  ['a fleet', server?.fleet?.properties],
  ['the settings', settings?.properties],
  ['a tool', tool],
  ['the strengths', tool?.mcp_tools?.properties],
  ['a role', roleRestrictions],
  ['required annotations', roleRestrictions?.required_annotations?.properties],
  ['a server of a host app', mcpServers?.additionalProperties?.properties],
])('the page shows every field of %s as in the schema', (_what, properties) => {
  expect(Object.keys(properties ?? {})).not.toHaveLength(0);
  expect(page).toContain(fieldTable(properties ?? {}));
});

test('every JSON Schema file is on the page', () => {
  for (const name of Object.keys(jsonSchemas())) expect(page).toContain(`@x/mcp-config-schema/schemas/${name}`);
});

test('the examples of the page have no errors', () => {
  const examples = Array.from(page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm), ([, text]) => ({ text: text ?? '' }));
  expect(examples).toHaveLength(2);
  const [json = ''] = Array.from(page.matchAll(/^```json\n([\s\S]*?)^```$/gm), ([, text]) => text);
  const inputs = [...examples, { text: json, file: '.mcp.json' }];
  const { issues, origins } = checkConfig(inputs, { variables: { PROJECT_FOLDER: '/srv/project' } });
  expect(origins.get('mcp_servers.filesystem.command')).toMatchObject({ line: 5, column: 14 });
  expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
});
