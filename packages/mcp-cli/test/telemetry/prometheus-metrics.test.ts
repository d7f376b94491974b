import { MetricStore } from '@x/internal/telemetry';
import { expect, test } from 'vitest';
import { PrometheusMetrics } from '../../src/telemetry/prometheus-metrics.js';

test('a histogram counts into its buckets, and all are cumulative', () => {
  const store = new MetricStore();
  const metrics = new PrometheusMetrics(store);
  const advice = { explicitBucketBoundaries: [0.1, 1] };
  const histogram = store.getMeter('any').createHistogram('a.duration', { unit: 's', description: 'Any', advice });
  for (const value of [0.1, 0.5, 7]) histogram.record(value, { 'a.b': 'x' });
  expect(metrics.text()).toBe(
    [
      '# HELP a_duration_seconds Any',
      '# TYPE a_duration_seconds histogram',
      'a_duration_seconds_bucket{a_b="x",le="0.1"} 1',
      'a_duration_seconds_bucket{a_b="x",le="1"} 2',
      'a_duration_seconds_bucket{a_b="x",le="+Inf"} 3',
      'a_duration_seconds_sum{a_b="x"} 7.6',
      'a_duration_seconds_count{a_b="x"} 3',
      '',
    ].join('\n'),
  );
});

test('labels are escaped, and their order does not matter', () => {
  const store = new MetricStore();
  const metrics = new PrometheusMetrics(store);
  const histogram = store.getMeter('any').createHistogram('h');
  histogram.record(1, { b: 'a "quote"', a: 'back\\slash\nline' });
  histogram.record(1, { a: 'back\\slash\nline', b: 'a "quote"' });
  expect(metrics.text()).toContain('h_count{a="back\\\\slash\\nline",b="a \\"quote\\""} 2\n');
});

test('gauges have only what is observed now', () => {
  const store = new MetricStore();
  const metrics = new PrometheusMetrics(store);
  const meter = store.getMeter('any');
  const gauge = meter.createObservableGauge('up', { unit: '{server}' });
  let servers = ['a', 'b'];
  const observe: Parameters<typeof meter.addBatchObservableCallback>[0] = (result) => {
    for (const server of servers) result.observe(gauge, 1, { server });
  };
  meter.addBatchObservableCallback(observe, [gauge]);
  expect(metrics.text()).toContain('up{server="b"} 1\n');
  servers = ['a'];
  expect(metrics.text()).not.toContain('server="b"');
  meter.removeBatchObservableCallback(observe, [gauge]);
  expect(metrics.text()).toBe('');
});

test('further series than 2,000 are added up in one', () => {
  const store = new MetricStore();
  const metrics = new PrometheusMetrics(store);
  const histogram = store.getMeter('any').createHistogram('h');
  for (let index = 0; index < 2_010; index++) histogram.record(1, { index });
  const text = metrics.text();
  expect(text.match(/^h_count/gm)).toHaveLength(2_001);
  expect(text).toContain('h_count{otel_metric_overflow="true"} 10\n');
});
