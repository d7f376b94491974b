import type { ServerPrompt } from '@x/mcp-client-manager';
import type { ContentBlock } from '@x/mcp-registry';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Suggestions } from '../form/suggestions.js';
import { ForeignText } from '../parts/foreign-text.js';
import { CallStatus } from '../tool/call-outcome.js';
import { RequestButtons, RequestQuestion } from '../tool/request-parts.js';
import { Block } from '../tool/tool-result.js';
import { useCall } from '../tool/use-call.js';
import { useMethod } from '../use-response.js';
import { useQueryValue } from '../use-route.js';
import { OfferedEntries, OpenButton } from './offered-entries.js';
import type { OfferedProps } from './server-resources.js';

const maxMessages = 100;

/** Prompts, as far as they are known; a page that may call fills them in. Listing starts nothing. */
export function ServerPrompts({ server: { name, state }, route, session: { may, adminKey } }: OfferedProps) {
  const { response, problem } = useMethod('listPrompts', { server: name }, state);
  const [chosen, setChosen] = useQueryValue(route, 'prompt');
  const mayGet = may === 'call' && adminKey !== undefined;
  const opened = response?.items.find((each) => each.name === chosen);
  return (
    <>
      {mayGet && opened && <OpenPrompt key={opened.name} server={name} prompt={opened} adminKey={adminKey} />}
      <OfferedEntries
        label="Prompts"
        route={route}
        listing={response}
        problem={problem}
        entryOf={({ arguments: taken = [], ...texts }) => ({
          id: `${texts.name}(${taken.map((each) => `${each.name}${each.required === true ? '' : '?'}`).join(', ')})`,
          ...texts,
          name: '',
        })}
        actionOf={mayGet ? (each) => <OpenButton name={each.name} onOpen={() => setChosen(each.name)} /> : undefined}
      />
    </>
  );
}

interface OpenPromptProps {
  readonly server: string;
  readonly prompt: ServerPrompt;
  readonly adminKey: string;
}

/** A field for each argument, and the messages once they are made. */
function OpenPrompt({ server, prompt, adminKey }: OpenPromptProps) {
  const { name, title, description } = prompt;
  const fields = useMemo(() => fieldsOf(prompt), [prompt]);
  const caller = useCall('getPrompt', adminKey);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [isSent, setSent] = useState(false);
  const [active, setActive] = useState<string>();
  const change = (field: string, value: string) => setValues({ ...values, [field]: value });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const isMissing = (field: PromptField) => field.isRequired && (values[field.name] ?? '') === '';
  const isRunning = caller.state.phase === 'running';
  return (
    <section class="panel run" aria-labelledby="prompt-heading">
      <h3 id="prompt-heading" ref={heading} tabIndex={-1}>
        <ForeignText text={title ?? name} maxLength={200} />
      </h3>
      {description !== undefined && (
        <p class="note">
          <ForeignText text={description} maxLength={5_000} />
        </p>
      )}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setSent(true);
          const first = fields.findIndex(isMissing);
          if (first >= 0) document.getElementById(`prompt-${first}`)?.focus();
          else if (!isRunning) caller.run({ server, prompt: name, args: given(values) });
        }}
      >
        {fields.map((each, index) => {
          const fault = isSent && isMissing(each);
          return (
            <div class="field" key={each.name}>
              <label for={`prompt-${index}`}>
                <span class="field-name">
                  <code>
                    <ForeignText text={each.name} maxLength={200} />
                  </code>
                  <span class="note">{each.isRequired ? 'required' : 'optional'}</span>
                </span>
              </label>
              {each.description !== undefined && (
                <p class="note about" id={`prompt-${index}-about`}>
                  <ForeignText text={each.description} maxLength={2_000} />
                </p>
              )}
              <textarea
                id={`prompt-${index}`}
                rows={1}
                spellcheck={false}
                aria-required={each.isRequired}
                aria-invalid={fault}
                aria-describedby={each.description === undefined ? undefined : `prompt-${index}-about`}
                value={values[each.name] ?? ''}
                onFocus={() => setActive(each.name)}
                onInput={({ currentTarget }) => change(each.name, currentTarget.value)}
              />
              {active === each.name && (
                <Suggestions
                  field={`prompt-${index}`}
                  server={server}
                  of={{ prompt: name }}
                  argument={each.name}
                  value={values[each.name] ?? ''}
                  args={given(values)}
                  adminKey={adminKey}
                  onChoose={(value) => change(each.name, value)}
                />
              )}
              {fault && <p class="error fault">✕ Missing.</p>}
            </div>
          );
        })}
        <RequestButtons caller={caller} label="Preview" runningLabel="One moment …" />
      </form>
      <CallStatus state={caller.state} />
      {caller.state.phase === 'done' && (
        <ol class="messages" aria-label="Messages">
          {caller.state.result.messages.slice(0, maxMessages).map(({ role, content }, index) => (
            <li key={index}>
              <p>
                <span class="badge badge-quiet">
                  <ForeignText text={role} maxLength={40} />
                </span>
              </p>
              <Block block={content as ContentBlock} />
            </li>
          ))}
        </ol>
      )}
      <RequestQuestion caller={caller} />
    </section>
  );
}

interface PromptField {
  readonly name: string;
  readonly description?: string | undefined;
  readonly isRequired: boolean;
}

function fieldsOf({ arguments: taken = [] }: ServerPrompt): readonly PromptField[] {
  return taken.map(({ name, description, required }) => ({
    name: String(name),
    description: typeof description === 'string' ? description : undefined,
    isRequired: required === true,
  }));
}

/** An empty argument is left out. */
function given(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}
