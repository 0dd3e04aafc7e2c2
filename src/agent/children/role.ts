import type { AgentRole } from '../customisations/types.ts';
import type { AgentPorts } from '../turn/index.ts';

export type FoundRole =
  | { readonly is: 'role'; readonly role: AgentRole }
  /** For the model. */
  | { readonly is: 'unknown'; readonly why: string };

/** The role that the model asks for. A model that cannot be used gives way to that of the session. Never rejects. */
export async function findRole({ customisations, models, log }: AgentPorts, agent: string): Promise<FoundRole> {
  const roles = customisations?.roles ?? [];
  const role = roles.find(({ name }) => name.toLowerCase() === agent.toLowerCase());
  if (!role) {
    const names = roles.map(({ name }) => name).join(', ');
    const there = names === '' ? 'There are none here: leave agent out.' : `There are: ${names}.`;
    return { is: 'unknown', why: `There is no agent "${agent.slice(0, 100)}"; nothing was delegated. ${there}` };
  }
  if (role.model === undefined) return { is: 'role', role };
  const resolved = await models.resolve(role.model);
  if (!('error' in resolved)) return { is: 'role', role };
  log.warn(
    `The agent ${role.name} works with the model of the session, because ${role.model} cannot be used: ${resolved.error.message}`,
  );
  const { model: _model, ...rest } = role;
  return { is: 'role', role: rest };
}
