import assert from 'node:assert/strict';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { fakeServer } from '@x/mcp-client-manager/testing';

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());

await using fake = fakeServer({ tools: [{ name: 'search' }] });
const config = { servers: [{ name: 'git', ...fake.inProcess() }] };

// #region telemetry
import * as api from '@opentelemetry/api';
import { createClientManager } from '@x/mcp-client-manager';
import { createTelemetry } from '@x/mcp-client-manager/telemetry';
import { createGateway } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';

const telemetry = createTelemetry(api); // once the app has started its OpenTelemetry
const manager = createClientManager(config, { telemetry });
const registry = createRegistry();
const gateway = createGateway({ registry, upstreams: manager, telemetry });
// #endregion telemetry

await manager.callTool('git', 'search');
const names = exporter.getFinishedSpans().map(({ name }) => name);
assert.deepEqual(names, ['initialize', 'tools/list', 'tools/call search']);
await gateway.close();
await registry.close();
await manager.close();
