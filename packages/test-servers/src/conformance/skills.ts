import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';

/** Two skills of the skills extension (SEP-2640), one with a file of its own. */
export const skills = await SkillsExtension.load(
  memorySkillFiles({
    'greeting/SKILL.md': '---\nname: greeting\ndescription: How to greet\n---\nSay hello. See references/words.md.\n',
    'greeting/references/words.md': 'Hello, hi, good morning.\n',
    'parting/SKILL.md': '---\nname: parting\ndescription: How to say goodbye\n---\nSay goodbye.\n',
  }),
);
