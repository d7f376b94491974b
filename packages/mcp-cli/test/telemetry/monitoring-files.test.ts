import { readFile } from 'node:fs/promises';
import { MetricStore } from '@x/internal/telemetry';
import { createTelemetry } from '@x/mcp-client-manager/telemetry';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { PrometheusMetrics } from '../../src/telemetry/prometheus-metrics.js';

const read = (file: string) => readFile(new URL(`../../../../deploy/monitoring/${file}`, import.meta.url), 'utf8');

/** Every name and every label that mcpx has. */
function everything(): { readonly names: ReadonlySet<string>; readonly labels: ReadonlySet<string> } {
  const store = new MetricStore();
  const metrics = new PrometheusMetrics(store);
  const telemetry = createTelemetry({ metrics: store });
  const peer = { transport: 'http', url: 'http://127.0.0.1/', protocolVersion: '2025-11-25', server: 'up' } as const;
  for (const kind of ['client', 'server'] as const) {
    telemetry.beginSession(kind, peer)(new Error('lost'));
    for (const [method, name] of [
      ['tools/call', 'tool'],
      ['prompts/get', 'prompt'],
      ['tools/list', undefined],
    ] as const) {
      const operation = telemetry.begin({ kind, method, params: { name } });
      operation?.sent(1, peer);
      operation?.end({ result: method === 'tools/list' ? { tools: [] } : {} });
    }
    telemetry.begin({ kind, method: 'tools/call', params: { name: 'tool' } })?.end({ error: { code: -32_000 } });
  }
  const server = { name: 'up', state: 'running', tools: 1, callsInFlight: 0, callsQueued: 0, restarts: 0 };
  using _ = telemetry.observeServers(() => [server]);
  const text = metrics.text();
  return {
    names: new Set(Array.from(text.matchAll(/^([a-z_]+)(?:\{| )/gm), ([, name = '']) => name)),
    labels: new Set(Array.from(text.matchAll(/([a-z_]+)="/g), ([, label = '']) => label)),
  };
}

const aggregations = /\b(?:by|on|ignoring|without) \(([^)]*)\)/g;
const selectors = /\b(mcpx?_[a-z_]+?)(?:\{([^}]*)\})?(?=[[\s),]|$)/g;

function usedIn(expression: string) {
  const grouped = Array.from(expression.matchAll(aggregations), ([, labels = '']) => labels.split(/,\s*/)).flat();
  const bare = expression.replace(aggregations, '');
  const found = Array.from(bare.matchAll(selectors));
  const matched = found.flatMap(([, , labels = '']) =>
    Array.from(labels.matchAll(/([a-z_]+)[=!]/g), ([, name = '']) => name),
  );
  return { names: found.map(([, name = '']) => name), labels: [...grouped, ...matched] };
}

function expectKnown(expressions: readonly string[]): void {
  const { names, labels } = everything();
  const known = new Set([...labels, 'instance', 'le']);
  for (const expression of expressions) {
    const used = usedIn(expression);
    expect(used.names, expression).not.toEqual([]);
    expect(
      used.names.filter((name) => !names.has(name)),
      expression,
    ).toEqual([]);
    expect(
      used.labels.filter((label) => !known.has(label)),
      expression,
    ).toEqual([]);
  }
}

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

test('every query of the dashboard names metrics and labels that exist', async () => {
  const { panels, templating } = JSON.parse(await read('grafana-dashboard.json')) as {
    readonly panels: readonly Panel[];
    readonly templating: { readonly list: readonly { readonly query: string }[] };
  };
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThanOrEqual(panels.length);
  expectKnown(expressions);
  expect(templating.list.map(({ query }) => query)).toContain('label_values(mcpx_server_state, mcpx_server)');
  const { names } = everything();
  const shown = expressions.join(' ');
  const families = new Set(Array.from(names, (name) => name.replace(/_(bucket|sum|count)$/, '')));
  expect(Array.from(families).filter((family) => !shown.includes(family))).toEqual([]);
});

test('every alert names metrics and labels that exist', async () => {
  const { groups } = parse(await read('alerts.yml')) as {
    readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
  };
  expectKnown(groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)));
});

test('a name that does not exist is found', () => {
  expect(() => expectKnown(['rate(mcpx_server_starts_total[5m])'])).toThrow('mcpx_server_starts_total');
  expect(() => expectKnown(['sum by (tool) (mcpx_server_tools)'])).toThrow('tool');
});
