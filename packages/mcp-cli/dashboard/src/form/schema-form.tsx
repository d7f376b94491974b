import { toPointer } from '@x/internal/json-schema';
import { useState } from 'preact/hooks';
import { type Json, recordOf, typesOf } from '../../../src/call-words/schema-types.js';
import { foreignLine } from '../foreign-text-parts.js';
import { ForeignText } from '../parts/foreign-text.js';
import { JsonInput, NumberInput, type SharedProps, TextInput } from './plain-inputs.js';
import { type Field, fieldOf, initialValue, type Member, variantOf } from './schema-field.js';

/** Facts about the whole form that each of its fields needs. */
export interface FormState {
  readonly root: Json;
  /** Texts of faults by JSON Pointer. */
  readonly faults: ReadonlyMap<string, string>;
  /** True if the fault of that place is shown: it was left, or the form was sent. */
  readonly isShown: (pointer: string) => boolean;
  readonly onLeave: (pointer: string) => void;
  /** Begins the ids of the fields. Default `argument`. */
  readonly idPrefix?: string;
}

type Path = readonly (string | number)[];

interface PlaceProps {
  readonly schema: unknown;
  readonly path: Path;
  readonly name: string;
  readonly isRequired: boolean;
  /** `undefined`: it is left out. */
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
  readonly form: FormState;
}

/** The members of an object, one below the other. */
export function MemberFields({
  members,
  moreMembers,
  path,
  value,
  onValue,
  form,
}: Extract<Field, { readonly kind: 'object' }> & Pick<PlaceProps, 'path' | 'value' | 'onValue' | 'form'>) {
  const values = recordOf(value);
  const change = ({ name }: Member, next: unknown) => {
    const { [name]: _before, ...others } = values;
    if (next === undefined) onValue(others);
    else onValue(Object.hasOwn(values, name) ? { ...values, [name]: next } : { ...others, [name]: next });
  };
  return (
    <>
      {members.map((member) => (
        <Place
          key={member.name}
          {...member}
          path={[...path, member.name]}
          value={Object.hasOwn(values, member.name) ? values[member.name] : undefined}
          onValue={(next) => change(member, next)}
          form={form}
        />
      ))}
      {moreMembers > 0 && <p class="note">{moreMembers} more can be given as JSON.</p>}
    </>
  );
}

/** One place of the value with its label, description, input and fault. Nothing where the schema leaves no choice. */
function Place(props: PlaceProps) {
  const { schema, path, value, onValue, form, isRequired } = props;
  const field = fieldOf(schema, form.root);
  if (isRequired && field.kind === 'choice' && field.choices.length === 1 && value !== undefined) return null;
  if (field.kind === 'object' || field.kind === 'list' || field.kind === 'variants') {
    return <Group {...props} field={field} />;
  }
  const pointer = toPointer(path);
  const id = idOf(form, pointer);
  const fault = form.isShown(pointer) ? form.faults.get(pointer) : undefined;
  const described = [
    ...(field.description === undefined ? [] : [`${id}-about`]),
    ...(fault === undefined ? [] : [`${id}-fault`]),
  ];
  const shared = {
    id,
    'aria-required': isRequired,
    'aria-invalid': fault !== undefined,
    'aria-describedby': described.length === 0 ? undefined : described.join(' '),
    onBlur: () => form.onLeave(pointer),
  } as const;
  return (
    <div class="field">
      <label for={id}>
        <Name {...props} field={field} />
      </label>
      <About id={`${id}-about`} field={field} />
      {field.kind === 'choice' || field.kind === 'flag' ? (
        <ChoiceInput field={field} isRequired={isRequired} value={value} onValue={onValue} shared={shared} />
      ) : field.kind === 'number' ? (
        <NumberInput value={value} onValue={onValue} fallback={field.fallback} shared={shared} />
      ) : field.kind === 'json' ? (
        <JsonInput value={value} onValue={onValue} fallback={field.fallback} shared={shared} />
      ) : (
        <TextInput value={value} onValue={onValue} format={field.format} fallback={field.fallback} shared={shared} />
      )}
      <Fault id={`${id}-fault`} text={fault} />
    </div>
  );
}

function idOf({ idPrefix = 'argument' }: FormState, pointer: string): string {
  return `${idPrefix}${pointer}`;
}

/** The first place with that pointer or, for one that is not on the form, the nearest around it. */
export function focusOnField(form: FormState, pointer: string): void {
  for (let place = pointer; place !== ''; place = place.slice(0, place.lastIndexOf('/'))) {
    const element = document.getElementById(idOf(form, place));
    if (!element) continue;
    element.focus();
    return;
  }
}

function Name({ name, isRequired, field }: Pick<PlaceProps, 'name' | 'isRequired'> & { readonly field: Field }) {
  return (
    <span class="field-name">
      <code>
        <ForeignText text={name} maxLength={200} />
      </code>
      {field.title !== undefined && field.title !== name && (
        <span>
          <ForeignText text={field.title} maxLength={200} />
        </span>
      )}
      <span class="note">{isRequired ? 'required' : 'optional'}</span>
    </span>
  );
}

function About({ id, field }: { readonly id: string; readonly field: Field }) {
  if (field.description === undefined) return null;
  return (
    <p class="note about" id={id}>
      <ForeignText text={field.description} maxLength={2_000} />
    </p>
  );
}

function Fault({ id, text }: { readonly id: string; readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="error fault" id={id}>
      ✕ <ForeignText text={text} maxLength={1_000} />
    </p>
  );
}

interface ChoiceInputProps {
  readonly field: Extract<Field, { readonly kind: 'choice' | 'flag' | 'text' | 'number' | 'json' }>;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
  readonly shared: SharedProps;
}

const flagChoices = [
  { value: true, label: 'true' },
  { value: false, label: 'false' },
] as const;

function ChoiceInput({ field, isRequired, value, onValue, shared }: ChoiceInputProps) {
  const choices = field.kind === 'choice' ? field.choices : flagChoices;
  const chosen = choices.findIndex((each) => JSON.stringify(each.value) === JSON.stringify(value));
  const fallback = field.fallback === undefined ? '' : ` (default: ${foreignLine(JSON.stringify(field.fallback), 80)})`;
  return (
    <select
      {...shared}
      value={chosen}
      onChange={({ currentTarget }) => onValue(choices[Number(currentTarget.value)]?.value)}
    >
      <option value={-1}>{isRequired ? 'Choose …' : `left out${fallback}`}</option>
      {choices.map(({ label }, index) => (
        <option key={index} value={index}>
          {foreignLine(label)}
        </option>
      ))}
    </select>
  );
}

type GroupField = Extract<Field, { readonly kind: 'object' | 'list' | 'variants' }>;

/** A place with places inside. An optional one is one line until it is added. */
function Group(props: PlaceProps & { readonly field: GroupField }) {
  const { schema, path, name, isRequired, value, onValue, form, field } = props;
  const pointer = toPointer(path);
  const id = idOf(form, pointer);
  const fault = form.isShown(pointer) ? form.faults.get(pointer) : undefined;
  const isAbsent = value === undefined;
  return (
    <fieldset
      class={isAbsent ? 'group absent' : 'group'}
      id={id}
      tabIndex={-1}
      aria-describedby={fault === undefined ? undefined : `${id}-fault`}
    >
      <legend>
        <Name {...props} field={field} />
      </legend>
      {(isAbsent || !isRequired) && (
        <button
          type="button"
          class="small"
          onClick={() =>
            onValue(isAbsent ? (initialValue(schema, form.root) ?? blankOf(schema, form.root)) : undefined)
          }
        >
          {isAbsent ? 'Add' : 'Leave out'}
          <span class="visually-hidden"> {foreignLine(name)}</span>
        </button>
      )}
      <About id={`${id}-about`} field={field} />
      {!isAbsent && field.kind === 'object' && (
        <MemberFields {...field} path={path} value={value} onValue={onValue} form={form} />
      )}
      {!isAbsent && field.kind === 'list' && <ListFields {...props} field={field} />}
      {!isAbsent && field.kind === 'variants' && <VariantFields {...props} field={field} />}
      <Fault id={`${id}-fault`} text={fault} />
    </fieldset>
  );
}

const fewChoices = 20;

/** A box for each of a few choices; other lists have an input for each item. */
function ListFields(props: PlaceProps & { readonly field: Extract<Field, { readonly kind: 'list' }> }) {
  const { value, onValue, form, field } = props;
  const items = fieldOf(field.items, form.root);
  const choices = items.kind === 'choice' && items.choices.length <= fewChoices ? items.choices : [];
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const isSet =
    new Set(chosen).size === chosen.length && chosen.every((item) => choices.some((each) => each.value === item));
  if (choices.length === 0 || !isSet) return <ListItems {...props} />;
  return (
    <div class="choices">
      {choices.map((each, index) => (
        <label class="check" key={index}>
          <input
            type="checkbox"
            checked={chosen.includes(each.value)}
            onChange={({ currentTarget }) =>
              onValue(
                choices
                  .map((choice) => choice.value)
                  .filter((item) => (item === each.value ? currentTarget.checked : chosen.includes(item))),
              )
            }
          />
          <ForeignText text={each.label} maxLength={200} />
        </label>
      ))}
    </div>
  );
}

function ListItems({
  path,
  name,
  value,
  onValue,
  form,
  field,
}: PlaceProps & { readonly field: Extract<Field, { readonly kind: 'list' }> }) {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const { items: schema, maxItems } = field;
  return (
    <>
      {items.map((item, index) => (
        <div class="item" key={index}>
          <Place
            schema={schema}
            path={[...path, index]}
            name={`${name}[${index}]`}
            isRequired={true}
            value={item ?? undefined}
            onValue={(next) => onValue(items.toSpliced(index, 1, next ?? blankOf(schema, form.root)))}
            form={form}
          />
          <button
            type="button"
            class="small"
            aria-label={foreignLine(`Remove ${name}[${index}]`)}
            onClick={() => onValue(items.toSpliced(index, 1))}
          >
            ✕
          </button>
        </div>
      ))}
      {items.length < maxItems && (
        <button
          type="button"
          class="small"
          onClick={() => onValue([...items, initialValue(schema, form.root) ?? blankOf(schema, form.root)])}
        >
          Add an item<span class="visually-hidden"> to {foreignLine(name)}</span>
        </button>
      )}
    </>
  );
}

function VariantFields({
  path,
  name,
  value,
  onValue,
  form,
  field: { variants },
}: PlaceProps & { readonly field: Extract<Field, { readonly kind: 'variants' }> }) {
  const [chosen, setChosen] = useState<number>();
  const fitting = variantOf(variants, value, form.root);
  const index = chosen ?? fitting;
  const schema = variants[index]?.schema;
  const field = fieldOf(schema, form.root);
  return (
    <>
      <select
        aria-label={foreignLine(`Kind of ${name}`)}
        value={index}
        onChange={({ currentTarget }) => {
          const next = Number(currentTarget.value);
          setChosen(next);
          onValue(initialValue(variants[next]?.schema, form.root) ?? blankOf(variants[next]?.schema, form.root));
        }}
      >
        {variants.map(({ label }, each) => (
          <option key={`${each} ${label}`} value={each}>
            {foreignLine(label)}
          </option>
        ))}
      </select>
      {isNull(schema, form.root) ? null : field.kind === 'object' ? (
        <MemberFields key={index} {...field} path={path} value={value} onValue={onValue} form={form} />
      ) : (
        <Place
          key={index}
          schema={schema}
          path={path}
          name={variants[index]?.label ?? ''}
          isRequired={true}
          value={value ?? undefined}
          onValue={(next) => onValue(next ?? blankOf(schema, form.root))}
          form={form}
        />
      )}
    </>
  );
}

function isNull(schema: unknown, root: Json): boolean {
  return [...typesOf(recordOf(schema), root)].join() === 'null';
}

/** A value of the schema's kind where one cannot be left out: in a list, and after a choice of its kind. */
function blankOf(schema: unknown, root: Json): unknown {
  const { kind } = fieldOf(schema, root);
  return kind === 'object' ? {} : kind === 'list' ? [] : kind === 'text' ? '' : null;
}
