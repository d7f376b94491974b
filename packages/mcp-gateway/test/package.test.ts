import { collectImports } from '@x/test-servers';
import { expect, test } from 'vitest';
import * as identity from '../src/identity.js';
import * as root from '../src/index.js';
import * as sdkV1 from '../src/sdk-v1.js';
import * as telemetry from '../src/telemetry.js';

/** The modules that an entry loads. */
const importsOf = (entry: string) =>
  collectImports(new URL(`../src/${entry}.ts`, import.meta.url), new URL('../../internal/src/', import.meta.url));

test('only the entries that serve load an SDK, each its own', async () => {
  const packagesOf = async (entry: string) => (await importsOf(entry)).packages;
  expect(await packagesOf('sdk-v1')).toContain('@modelcontextprotocol/sdk/types.js');
  expect((await packagesOf('sdk-v1')).join()).not.toContain('@modelcontextprotocol/server');
  expect((await packagesOf('identity')).join()).not.toContain('@modelcontextprotocol');
  expect(await packagesOf('telemetry')).toEqual([]);
  const { packages } = await importsOf('index');
  expect(packages.join()).not.toContain('opentelemetry');
  expect(packages).toEqual(
    expect.arrayContaining(['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio']),
  );
  expect(packages.join()).not.toContain('@modelcontextprotocol/sdk');
});

test('the public exports', () => {
  expect(Object.keys(root).toSorted()).toEqual([
    'GatewayError',
    'createGateway',
    'createHttpServer',
    'createRegistryHandler',
    'gatewayCapabilities',
    'isGatewayError',
    'serveRegistry',
    'singleClientCapabilities',
    'toNodeListener',
  ]);
  expect(Object.keys(identity).toSorted()).toEqual(['createJwtVerifier', 'createTokenVerifier']);
  expect(Object.keys(sdkV1)).toEqual(['mountRegistry']);
  expect(Object.keys(telemetry).toSorted()).toEqual(['createMetricProducer', 'createTelemetry']);
});

test('recognizes an error of another copy of this package', () => {
  const other = Object.assign(new Error('other'), { [Symbol.for('@x/mcp-gateway.error')]: true });
  const own = new root.GatewayError('client-stalled', '');
  expect([other, own, new Error(''), null].map(root.isGatewayError)).toEqual([true, true, false, false]);
});
