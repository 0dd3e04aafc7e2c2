/** The many ways in which providers write the name of one model. */

/** Regions and vendors that Bedrock puts before a name. */
const BEDROCK_PREFIX =
  /^(?:(?:us|eu|apac|jp|au|ca|sa|global)\.)?(?:anthropic|amazon|meta|mistral|deepseek|openai|qwen|moonshotai?|minimax|zai)\./;

/**
 * A model's name as the tables of the catalogue write it: lower case, without what a router or Bedrock puts in front,
 * with hyphens for the dots of versions. `us.anthropic.claude-opus-4-5`, `anthropic/claude-opus-4.5` → `claude-opus-4-5`.
 */
export function familyName(model: string): string {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return name.replace(BEDROCK_PREFIX, '').replace(/[._]/g, '-');
}

/** The longest key that the name is, or begins with up to a separator; undefined when there is none. */
export function longestKey<Key extends string>(keys: readonly Key[], model: string): Key | undefined {
  const name = familyName(model);
  let longest: Key | undefined;
  for (const key of keys) {
    const fits = name.startsWith(key) && !/[a-z0-9]/.test(name.charAt(key.length));
    if (fits && key.length > (longest?.length ?? 0)) longest = key;
  }
  return longest;
}
