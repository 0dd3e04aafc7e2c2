import * as z from 'zod/mini';

// zod decides when a schema is built whether to compile it with `new Function`, which the page's
// Content-Security-Policy forbids and reports. So this module comes before every one that builds schemas.
z.config({ jitless: true });
