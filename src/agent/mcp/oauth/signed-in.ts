import * as z from 'zod';

/** What is kept of a sign-in, as JSON in a secret store. */
export const signedInSchema = z.looseObject({
  /** The server's address: its tokens go nowhere else. */
  url: z.string(),
  /** Who signed the user in, for people: the host of the authorization server. */
  issuer: z.string(),
  client: z.looseObject({ client_id: z.string() }),
  tokens: z.looseObject({
    access_token: z.string(),
    token_type: z.string(),
    refresh_token: z.string().exactOptional(),
    scope: z.string().exactOptional(),
  }),
  /** What the server and its authorization server say of themselves, so that a renewal need not ask again. */
  discovery: z.unknown().optional(),
});

export type SignedIn = z.infer<typeof signedInSchema>;

/** Undefined for text that is none: it was kept by something else, or by another version. */
export function readSignedIn(text: string): SignedIn | undefined {
  try {
    return signedInSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
