import { Refusal } from '../http/refusal.ts';
import { insertPost, withdrawPost } from '../state/post-store.ts';
import { type DirectoryCall, type DirectoryRoute, demand, pageOf } from './directory-call.ts';

export const postRoutes: readonly DirectoryRoute[] = [
  { method: 'POST', path: '/pages/:id/posts', handle: publish },
  { method: 'DELETE', path: '/posts/:id', handle: withdraw },
];

function publish(call: DirectoryCall) {
  demand(call, 'posts');
  const { network, rules, installation, body } = call;
  const page = pageOf(call);
  if (page.owner !== null && page.owner !== String(installation)) {
    throw new Refusal(403, `Only those who manage the page may post on ${rules.name}.`);
  }
  const text = [body.title, body.description].filter((part) => typeof part === 'string').join('\n');
  if (text.trim() === '') throw new Refusal(422, `A post on ${rules.name} needs a text.`);
  if (text.length > rules.postMaxLength) {
    throw new Refusal(
      422,
      `A post on ${rules.name} has at most ${rules.postMaxLength} letters; this has ${text.length}.`,
    );
  }
  const hasPhoto = Array.isArray(body.photos) && body.photos.length > 0;
  if (rules.type === 'INSTAGRAM' && !hasPhoto) throw new Refusal(422, 'A post on Instagram needs a photo.');
  const id = insertPost(network, rules.type, page.id, body);
  const url = network.urlOf(rules.type, page.id);
  return { id, ...(url && { url: `${url}/posts/${id}` }) };
}

function withdraw(call: DirectoryCall) {
  demand(call, 'posts');
  const { network, rules, params } = call;
  return { withdrawn: withdrawPost(network, rules.type, params.id ?? '') };
}
