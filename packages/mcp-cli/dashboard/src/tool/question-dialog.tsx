import { toPointer } from '@x/internal/json-schema';
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type Json, recordOf } from '../../../src/call-words/schema-types.js';
import type { QuestionAnswer, QuestionView } from '../../../src/dashboard/page-messages.js';
import { checkTyped, formFields } from '../../../src/elicitation/form-fields.js';
import { faultsOf } from '../form/check-arguments.js';
import { fieldOf, initialValue } from '../form/schema-field.js';
import { type FormState, focusOnField, MemberFields } from '../form/schema-form.js';
import { ForeignText } from '../parts/foreign-text.js';
import { useModal } from '../parts/use-modal.js';

interface QuestionDialogProps<Kind extends QuestionView['kind'] = QuestionView['kind']> {
  readonly question: Extract<QuestionView, { readonly kind: Kind }>;
  readonly onAnswer: (answer: QuestionAnswer) => void;
}

/** A question of a server during a request of the page. Escape cancels the question; the server decides what follows. */
export function QuestionDialog({ question, onAnswer }: QuestionDialogProps) {
  switch (question.kind) {
    case 'form':
      return <FormQuestion question={question} onAnswer={onAnswer} />;
    case 'page':
      return <PageQuestion question={question} onAnswer={onAnswer} />;
    case 'visited':
      return <VisitedQuestion question={question} onAnswer={onAnswer} />;
  }
}

function FormQuestion({ question: { server, message, schema, secrets }, onAnswer }: QuestionDialogProps<'form'>) {
  const [value, setValue] = useState<unknown>(() => recordOf(initialValue(withDefaults(schema), schema)));
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isSent, setSent] = useState(false);
  const field = useMemo(() => fieldOf(schema, schema), [schema]);
  const faults = useMemo(() => faultsOfAnswer(schema, value), [schema, value]);
  const form: FormState = {
    root: schema,
    faults,
    isShown: (pointer) => isSent || left.has(pointer),
    onLeave: (pointer) => setLeft((before) => new Set(before).add(pointer)),
    idPrefix: 'answer',
  };
  return (
    <Frame server={server} asks="asks" message={message} onAnswer={onAnswer}>
      {(answer) => (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            setSent(true);
            const [first] = faults.keys();
            if (first === undefined) answer({ action: 'accept', content: recordOf(value) });
            else focusOnField(form, first);
          }}
        >
          {secrets.length > 0 && (
            <p class="failure">
              {secrets.map((name) => `“${name}”`).join(', ')} looks like a secret. Servers must not ask for secrets in a
              form: the server gets it as plain text. Decline if in doubt.
            </p>
          )}
          {field.kind === 'object' && (
            <MemberFields {...field} path={[]} value={value} onValue={setValue} form={form} />
          )}
          <div class="buttons">
            <Refusals answer={answer} />
            <button type="submit" class="primary">
              Send to the server
            </button>
          </div>
        </form>
      )}
    </Frame>
  );
}

function Refusals({ answer }: { readonly answer: (given: QuestionAnswer) => void }) {
  return (
    <>
      <button type="button" onClick={() => answer({ action: 'cancel' })}>
        Cancel
      </button>
      <button type="button" onClick={() => answer({ action: 'decline' })}>
        Decline
      </button>
    </>
  );
}

/** With the formats of forms, as at the terminal. */
function faultsOfAnswer(schema: Json, value: unknown): ReadonlyMap<string, string> {
  const faults = new Map(faultsOf(schema, value));
  for (const field of formFields(schema)) {
    const pointer = toPointer([field.name]);
    const given = recordOf(value)[field.name];
    if (field.kind !== 'text' || typeof given !== 'string' || faults.has(pointer)) continue;
    const fault = checkTyped(field, given);
    if (fault !== undefined) faults.set(pointer, fault);
  }
  return faults;
}

/** Defaults of optional fields are filled in, because the user sees and sends them. */
function withDefaults(schema: Json): Json {
  const properties = Object.entries(recordOf(schema.properties));
  const given = properties.filter(([, each]) => recordOf(each).default !== undefined).map(([name]) => name);
  return { ...schema, required: [...new Set([...(Array.isArray(schema.required) ? schema.required : []), ...given])] };
}

function PageQuestion({ question: { server, message, url, host, warnings }, onAnswer }: QuestionDialogProps<'page'>) {
  return (
    <Frame server={server} asks="asks you to open a page" message={message} onAnswer={onAnswer}>
      {(answer) => (
        <>
          <dl class="facts-list one">
            <div>
              <dt>Host</dt>
              <dd>
                <strong>
                  <ForeignText text={host} />
                </strong>
              </dd>
            </div>
            <div>
              <dt>Page</dt>
              <dd>
                <code>
                  <ForeignText text={url} />
                </code>
              </dd>
            </div>
          </dl>
          {warnings.map((warning) => (
            <p key={warning} class="failure">
              {warning}
            </p>
          ))}
          <div class="buttons">
            <Refusals answer={answer} />
            <button
              type="button"
              class="primary"
              onClick={() => {
                open(url, '_blank', 'noopener,noreferrer');
                answer({ action: 'accept' });
              }}
            >
              Open the page
            </button>
          </div>
        </>
      )}
    </Frame>
  );
}

function VisitedQuestion({ question: { server }, onAnswer }: QuestionDialogProps<'visited'>) {
  return (
    <Frame server={server} asks="waits until you are done on its page" onAnswer={onAnswer}>
      {(answer) => (
        <div class="buttons">
          <button type="button" onClick={() => answer({ action: 'cancel' })}>
            Cancel
          </button>
          <button type="button" class="primary" onClick={() => answer({ action: 'accept' })}>
            Try again
          </button>
        </div>
      )}
    </Frame>
  );
}

interface FrameProps {
  readonly server: string;
  readonly asks: string;
  readonly message?: string;
  readonly onAnswer: (answer: QuestionAnswer) => void;
  readonly children: (answer: (given: QuestionAnswer) => void) => ComponentChildren;
}

/** The text of the server has a mark, so that it does not pass for that of the page. */
function Frame({ server, asks, message, onAnswer, children }: FrameProps) {
  const answer = (given: QuestionAnswer) => {
    close();
    onAnswer(given);
  };
  const { dialog, close } = useModal(() => answer({ action: 'cancel' }));
  return (
    <dialog {...dialog} aria-labelledby="server-question" class="question">
      <h2 id="server-question">
        “<ForeignText text={server} maxLength={200} />” {asks}
      </h2>
      {message !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
        <blockquote tabIndex={0}>
          <ForeignText text={message} maxLength={4_000} />
        </blockquote>
      )}
      {children(answer)}
    </dialog>
  );
}
