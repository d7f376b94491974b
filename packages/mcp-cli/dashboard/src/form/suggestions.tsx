import { useEffect, useState } from 'preact/hooks';
import type { CompletionReference } from '../../../src/control/reports.js';
import { request } from '../api.js';
import { foreignLine } from '../foreign-text-parts.js';

interface SuggestionsProps {
  readonly server: string;
  readonly of: CompletionReference;
  /** Name of the argument or variable. */
  readonly argument: string;
  readonly value: string;
  /** All that is filled in. */
  readonly args: Readonly<Record<string, string>>;
  readonly adminKey: string;
  readonly onChoose: (value: string) => void;
  /** Id of the field, which has the focus after a choice. */
  readonly field: string;
}

/** Time without a key before the server is asked, in milliseconds. */
const pauseMs = 200;
const maxShown = 20;

/** Buttons with the values that the server suggests for a field. Nothing if it suggests none. */
export function Suggestions({ server, of, argument, value, args, adminKey, onChoose, field }: SuggestionsProps) {
  const [values, setValues] = useState<readonly string[]>([]);
  const asked = JSON.stringify({ server, ref: of, argument, value, args });
  useEffect(() => {
    const ended = new AbortController();
    const ask = () => {
      request('completeArgument', JSON.parse(asked), ended.signal, adminKey).then(
        (report) => setValues(report.values),
        () => setValues([]), // aborted, or the server failed, which its own request reports
      );
    };
    const timer = setTimeout(ask, pauseMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [asked, adminKey]);
  const others = values.filter((each) => each !== value).slice(0, maxShown);
  if (others.length === 0) return null;
  return (
    <ul class="chips" aria-label={`Suggestions for ${foreignLine(argument)}`}>
      {others.map((each) => (
        <li key={each}>
          <button
            type="button"
            class="chip"
            onClick={() => {
              onChoose(each);
              document.getElementById(field)?.focus();
            }}
          >
            {foreignLine(each, 80)}
          </button>
        </li>
      ))}
    </ul>
  );
}
