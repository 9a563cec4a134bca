import { RequestError } from '../http/request-error.ts';
import { insertPost, isPublished, withdrawPost } from '../state/post-store.ts';
import { findResponse } from '../state/response-store.ts';
import { type DirectoryCall, type DirectoryRoute, pageOf, requireAbility } from './directory-call.ts';

export const postRoutes: readonly DirectoryRoute[] = [
  { method: 'POST', path: '/pages/:id/posts', handle: publish },
  { method: 'GET', path: '/posts', handle: find },
  { method: 'DELETE', path: '/posts/:id', handle: withdraw },
];

function publish(call: DirectoryCall) {
  requireAbility(call, 'posts');
  const { network, rules, installation, body } = call;
  const page = pageOf(call);
  if (page.owner !== null && page.owner !== String(installation)) {
    throw new RequestError(403, `Only the owner of the page may post on ${rules.name}.`);
  }
  const text = [body.title, body.description].filter((part) => typeof part === 'string').join('\n');
  if (text.trim() === '') throw new RequestError(422, `A post on ${rules.name} must contain text.`);
  if (text.length > rules.postMaxLength) {
    throw new RequestError(
      422,
      `A post on ${rules.name} can have at most ${rules.postMaxLength} characters, not ${text.length}.`,
    );
  }
  const hasPhoto = Array.isArray(body.photos) && body.photos.length > 0;
  if (rules.type === 'INSTAGRAM' && !hasPhoto) throw new RequestError(422, 'A post on Instagram must contain a photo.');
  const id = insertPost(network, rules.type, page.id, body);
  const url = network.urlOf(rules.type, page.id);
  return { id, ...(url && { url: `${url}/posts/${id}` }) };
}

function find(call: DirectoryCall) {
  requireAbility(call, 'posts');
  const { network, rules, installation, query } = call;
  const key = query.get('idempotencyKey') ?? '';
  const saved = findResponse(network, { installation, directory: rules.type, key });
  const post = saved && JSON.parse(saved.body);
  if (!post || !isPublished(network, rules.type, String(post.id))) {
    throw new RequestError(404, `${rules.name} has no post that was published with this Idempotency-Key.`);
  }
  return post;
}

function withdraw(call: DirectoryCall) {
  requireAbility(call, 'posts');
  const { network, rules, params } = call;
  return { withdrawn: withdrawPost(network, rules.type, params.id ?? '') };
}
