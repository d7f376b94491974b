import type { FindingDraft, FindingSeverity } from './tool-finding.js';
import type { ToolText } from './tool-texts.js';

/** Sentences that address the model, with at most one finding per rule. */
export function findInstructions({ field, text, excerpt }: ToolText): readonly FindingDraft[] {
  return INSTRUCTION_RULES.flatMap(({ rule, severity, what, pattern }): FindingDraft[] => {
    const match = pattern.exec(text);
    if (match === null) return [];
    const { index: at } = match;
    return [{ code: 'model-instruction', severity, field, what: `text that ${what}`, at, excerpt: excerpt(at), rule }];
  });
}

interface InstructionRule {
  readonly rule: string;
  readonly severity: FindingSeverity;
  readonly what: string;
  /** Bounded repetitions, so that a scan takes linear time. */
  readonly pattern: RegExp;
}

const FEW_WORDS = "(?:[\\w'’-]{1,30}[ ,]{1,3}){0,4}";

function rule(name: string, severity: FindingSeverity, what: string, ...patterns: string[]): InstructionRule {
  return { rule: name, severity, what, pattern: new RegExp(patterns.join('|'), 'i') };
}

/** Ways to address a model that no description needs. They find copied and careless attacks only. */
export const INSTRUCTION_RULES: readonly InstructionRule[] = [
  rule(
    'overrides-instructions',
    'high',
    'instructs the model to ignore other instructions',
    `\\b(?:ignore|disregard|forget|override|bypass)\\s{1,3}${FEW_WORDS}(?:previous|prior|above|earlier|preceding|existing|system|safety|other|all|any|your)\\s{1,3}${FEW_WORDS}(?:instructions?|prompts?|guidelines|guardrails|directives)\\b`,
    '\\b(?:new|updated|real|actual)\\s{1,3}(?:system\\s{1,3})?instructions\\s{0,3}:',
  ),
  rule(
    'hides-from-user',
    'high',
    'instructs the model to hide something from its user',
    `\\b(?:do not|don['’]t|never|must not|should not|without|avoid)\\s{1,3}${FEW_WORDS}(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|reveal|revealing|disclose|disclosing|alert|alerting)\\s{1,3}${FEW_WORDS}(?:to\\s{1,3})?(?:the\\s{1,3})?(?:users?|humans?|anyone|anybody)\\b`,
    `\\b(?:keep|hide|conceal)\\s{1,3}${FEW_WORDS}(?:secret\\s{1,3})?from\\s{1,3}(?:the\\s{1,3})?(?:users?|humans?)\\b`,
  ),
  rule(
    'poses-as-prompt',
    'high',
    'has markers that only prompts have',
    '<\\/?(?:important|system|sys|instructions?|assistant)(?:[ _-][\\w ]{0,30})?>',
    '<\\|(?:im_start|im_end|system|endoftext|eot_id|start_header_id)\\|>',
    '\\[\\/?(?:INST|SYSTEM|SYS|ADMIN)\\]|<<\\/?SYS>>',
    '(?:^|\\n)#{1,4}\\s{0,3}(?:system|new|hidden|secret)\\s{0,3}(?:prompt|instructions?|message)\\b',
  ),
  rule(
    'reads-secrets',
    'high',
    'instructs the model to read or pass on files with secrets',
    // A lookbehind; the other direction takes quadratic time.
    `(?=~\\/\\.|\\.ssh\\/|id_rsa|id_ed25519|\\/etc\\/(?:passwd|shadow)|\\.aws\\/|\\.env\\b|\\bmcp\\.json\\b|\\.netrc|\\.npmrc)(?!\\S{0,80}\\.pub\\b)(?<=\\b(?:read|open|cat|load|access|fetch|include|pass|send|attach|provide|contents?\\s{1,3}of)\\b(?:(?!\\. )[^\\n]){0,80})`,
  ),
  rule(
    'wants-conversation',
    'medium',
    'asks for the conversation, or for the prompt',
    `\\b(?:include|pass|send|put|provide|append|attach|copy|insert|forward|repeat)\\s{1,3}${FEW_WORDS}(?:(?:conversation|chat|message)\\s{1,3}(?:history|log|transcript)|system\\s{1,3}prompt|(?:previous|prior|earlier)\\s{1,3}(?:messages|conversation)|(?:entire|whole|full)\\s{1,3}(?:conversation|context))\\b`,
  ),
  rule(
    'before-every-tool',
    'medium',
    'wants to come before, or instead of, every other tool',
    `\\b(?:before|prior to|instead of|rather than)\\s{1,3}(?:(?:using|calling|invoking|running|executing)\\s{1,3})?(?:any|all|every|each)\\s{1,3}(?:of\\s{1,3}the\\s{1,3})?(?:other\\s{1,3})?(?:tools?|functions?|requests?|actions?|operations?)\\b`,
    `\\b(?:always|must)\\s{1,3}${FEW_WORDS}(?:call|use|run|invoke)\\s{1,3}(?:it|this(?:\\s{1,3}(?:tool|function))?)\\s{1,3}(?:first|for\\s{1,3}(?:every|each|all|any)\\s{1,3}(?:request|message|task|query|question|conversation)s?)\\b`,
  ),
  rule(
    'prepares-this-tool',
    'medium',
    'makes something else a condition of using this tool',
    `\\b(?:before|prior to|when|whenever)\\s{1,3}(?:using|calling|invoking|you\\s{1,3}(?:use|call))\\s{1,3}this\\s{1,3}(?:tool|function)\\b[^\\n]{0,60}\\b(?:must|always|read|send|pass|include|open)\\b`,
    '\\bthis tool (?:will|does) not (?:work|run|function) (?:unless|without)\\b',
  ),
  rule(
    'speaks-to-model',
    'low',
    'speaks to the model rather than about the tool',
    '\\b(?:dear|attention|note to|instructions? (?:for|to)|message (?:for|to)) (?:the )?(?:ai|llm|model|assistant|agent|claude|chatgpt)\\b',
    '\\byou are (?:now )?(?:an? )(?:ai|assistant|expert|helpful|language model)\\b',
    '\\bas an? (?:ai|language|llm) (?:model|assistant|agent)\\b',
  ),
];
