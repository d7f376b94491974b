import type { UsageReport, UsageSpan } from '../../src/dashboard/page-messages.js';
import { useNow } from './use-now.js';
import { useMethod } from './use-response.js';

/** The use over a span, requested again every few seconds. `undefined` before the first response. */
export function useUsage(span: UsageSpan, everyMs = 5_000): UsageReport | undefined {
  const now = useNow(everyMs);
  return useMethod('usage', { span }, now).response;
}
