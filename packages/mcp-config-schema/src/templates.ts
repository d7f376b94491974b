// Public API of "@x/mcp-config-schema/templates".
export type {
  ExpandedTemplate,
  TemplateFault,
  TemplatePlaces,
  TemplateVariables,
} from './template/expand-template.js';
export { expandTemplate, keepVariables } from './template/expand-template.js';
export type { TemplateExpression, TemplatePart, TemplatePlace } from './template/parse-template.js';
export { escapeTemplate, parseTemplate } from './template/parse-template.js';
