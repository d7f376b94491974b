import { useState } from 'preact/hooks';
import type { UsageFigures, UsageReport, UsageRow } from '../../../src/dashboard/page-messages.js';
import { formatCount, formatRate } from '../format.js';
import { ForeignText } from '../parts/foreign-text.js';
import { durationText, UsageCharts } from '../parts/usage-chart.js';
import { type Route, routeTo, useQueryValue } from '../use-route.js';
import { useUsage } from '../use-usage.js';

const spans = { '5m': '5 minutes', '1h': '1 hour', '24h': '24 hours' } as const;
const dimensions = { servers: 'Server', tools: 'Tool', clients: 'Client', roles: 'Role' } as const;
type Dimension = keyof typeof dimensions;

interface UsagePanelProps {
  /** Start of the daemon by its clock, in milliseconds since 1970. */
  readonly startedAt: number | undefined;
  readonly clockAheadMs: number;
  /** Its query has `span` and `by`. */
  readonly route: Route;
}

export function UsagePanel({ startedAt, clockAheadMs, route }: UsagePanelProps) {
  const [spanText, setSpan] = useQueryValue(route, 'span');
  const [byText, setBy] = useQueryValue(route, 'by');
  const span = oneOf(spans, spanText, '1h');
  const by = oneOf(dimensions, byText, 'servers');
  const report = useUsage(span);
  const minutes = report ? minutesOf(report, startedAt) : 1;
  return (
    <section aria-labelledby="use">
      <div class="use-head">
        <h2 id="use">Use</h2>
        <Choice label="Span" choices={spans} chosen={span} onChoice={setSpan} />
      </div>
      {!report && <p class="note">One moment …</p>}
      {report && (
        <>
          <Figures total={report.total} minutes={minutes} />
          <UsageCharts report={report} clockAheadMs={clockAheadMs} />
          <Choice label="By" choices={dimensions} chosen={by} onChoice={setBy} />
          <UsageTable key={by} report={report} by={by} minutes={minutes} />
        </>
      )}
    </section>
  );
}

function oneOf<Name extends string>(choices: Readonly<Record<Name, string>>, text: string, fallback: Name): Name {
  return Object.hasOwn(choices, text) ? (text as Name) : fallback;
}

/** Length of the span, without the time before the daemon and the rest of the last slot. At least one minute. */
function minutesOf({ at, slotMs, points }: UsageReport, startedAt = 0): number {
  const spanMs = (points.length - 1) * slotMs + (at % slotMs);
  return Math.max(Math.min(spanMs, at - startedAt) / 60_000, 1);
}

interface ChoiceProps<Name extends string> {
  readonly label: string;
  readonly choices: Readonly<Record<Name, string>>;
  readonly chosen: Name;
  readonly onChoice: (name: Name) => void;
}

function Choice<Name extends string>({ label, choices, chosen, onChoice }: ChoiceProps<Name>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a legend, and this is one line.
    <div class="chips" role="group" aria-label={label}>
      {(Object.entries(choices) as [Name, string][]).map(([name, text]) => (
        <button key={name} type="button" class="chip" aria-pressed={name === chosen} onClick={() => onChoice(name)}>
          {text}
        </button>
      ))}
    </div>
  );
}

function Figures({ total, minutes }: { readonly total: UsageFigures; readonly minutes: number }) {
  const { calls, errors, refused, p50Ms, p95Ms } = total;
  const all: readonly (readonly [string, string, string?])[] = [
    ['Calls per minute', formatRate(calls / minutes), `${formatCount(calls)} in all`],
    ['Errors', calls === 0 ? '–' : `${formatRate((errors / calls) * 100)} %`, `${formatCount(errors)} in all`],
    ['p50', durationText(p50Ms)],
    ['p95', durationText(p95Ms)],
    ['Refused', formatCount(refused), 'by roles and limits'],
  ];
  return (
    <dl class="tiles">
      {all.map(([label, value, more]) => (
        <div key={label} class={label === 'Errors' && errors > 0 ? 'card tile tile-bad' : 'card tile'}>
          <dt>{label}</dt>
          <dd>
            <strong>{value}</strong> {more !== undefined && <span class="note">{more}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const pageSize = 20;

const nothing: Readonly<Record<Dimension, string>> = {
  servers: 'No server was called in this time.',
  tools: 'No tool was called in this time.',
  clients: 'No client that gave its name has called in this time.',
  roles: 'No call under a role in this time.',
};

interface UsageTableProps {
  readonly report: UsageReport;
  readonly by: Dimension;
  readonly minutes: number;
}

function UsageTable({ report, by, minutes }: UsageTableProps) {
  const [shown, setShown] = useState(pageSize);
  const rows = report[by];
  if (rows.length === 0) return <p class="note">{nothing[by]}</p>;
  return (
    <>
      <table class="usage">
        <thead>
          <tr>
            <th scope="col">{dimensions[by]}</th>
            {['Calls', 'per min', 'Errors', 'p50', 'p95', 'Refused'].map((name) => (
              <th key={name} scope="col" class="figure">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row) => (
            <tr key={row.name ?? ' others'}>
              <td class="tool">
                <RowName row={row} by={by} />
              </td>
              <td class="figure" data-label="Calls">
                {formatCount(row.calls)}
              </td>
              <td class="figure" data-label="per min">
                {formatRate(row.calls / minutes)}
              </td>
              <td class={row.errors > 0 ? 'figure error' : 'figure'} data-label="Errors">
                {formatCount(row.errors)}
              </td>
              <td class="figure" data-label="p50">
                {durationText(row.p50Ms)}
              </td>
              <td class="figure" data-label="p95">
                {durationText(row.p95Ms)}
              </td>
              <td class="figure" data-label="Refused">
                {formatCount(row.refused)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <button type="button" class="small" onClick={() => setShown(shown + pageSize)}>
          {rows.length - shown} more
        </button>
      )}
    </>
  );
}

function RowName({ row: { name }, by }: { readonly row: UsageRow; readonly by: Dimension }) {
  if (name === undefined) return <em>others</em>;
  const text = <ForeignText text={name} maxLength={200} />;
  if (by !== 'servers' && by !== 'tools') return text;
  return <a href={routeTo(by, name)}>{text}</a>;
}
