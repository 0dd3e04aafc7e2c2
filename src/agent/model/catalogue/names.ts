/** The many ways in which providers write the name of one model. */

/** The halves of `provider/model`; a model's name may have slashes of its own. Without a slash there is no model. */
export function splitRef(ref: string): { readonly provider: string; readonly model: string } {
  const slash = ref.indexOf('/');
  return slash < 0 ? { provider: ref, model: '' } : { provider: ref.slice(0, slash), model: ref.slice(slash + 1) };
}

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
