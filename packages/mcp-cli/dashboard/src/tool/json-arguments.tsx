import { isRecord } from '@x/internal/json';
import { useState } from 'preact/hooks';
import { messageOf } from '../api.js';
import { ForeignText } from '../parts/foreign-text.js';

interface JsonArgumentsProps {
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
  /** Called with true while the text is no object, which leaves the value as it is. */
  readonly onBroken: (isBroken: boolean) => void;
  /** Texts by JSON Pointer. */
  readonly faults: ReadonlyMap<string, string>;
}

/** The arguments as JSON, in step with the form. */
export function JsonArguments({ value, onValue, onBroken, faults }: JsonArgumentsProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [problem, setProblem] = useState<string>();
  const change = (typed: string) => {
    setText(typed);
    const { object, fault } = objectIn(typed);
    setProblem(fault);
    onBroken(fault !== undefined);
    if (object) onValue(object);
  };
  return (
    <div class="field">
      <label for="arguments-json">Arguments as JSON</label>
      <textarea
        id="arguments-json"
        class="json"
        rows={Math.min(Math.max(text.split('\n').length + 1, 6), 24)}
        spellcheck={false}
        value={text}
        aria-invalid={problem !== undefined || faults.size > 0}
        aria-describedby="arguments-json-faults"
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      <ul id="arguments-json-faults" class="error">
        {problem !== undefined && (
          <li>
            ✕ <ForeignText text={problem} maxLength={500} />
          </li>
        )}
        {problem === undefined &&
          [...faults].slice(0, 20).map(([pointer, fault]) => (
            <li key={pointer}>
              ✕ <ForeignText text={`${pointer || 'All of it'} ${fault}`} maxLength={500} />
            </li>
          ))}
      </ul>
    </div>
  );
}

function objectIn(text: string): { readonly object?: object; readonly fault?: string } {
  if (text.trim() === '') return { object: {} };
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? { object: value } : { fault: 'The arguments must be one object.' };
  } catch (error) {
    return { fault: `This is no JSON yet: ${messageOf(error)}` };
  }
}
