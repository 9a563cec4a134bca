import Type, { type Static } from 'typebox';
import { Problem } from '../../../problems.ts';
import { directoryList } from '../../directories/index.ts';
import { changedContent, newContent, wordingErrors } from '../social-posts/post-rules.ts';
import {
  NewPost,
  PostChange,
  type PostContent,
  type PostPatch,
  SocialPostAnswer,
} from '../social-posts/social-post.ts';

const fields = [
  'type',
  'title',
  'description',
  'directories',
  'photos',
  'videos',
  'callToActions',
  'couponCode',
  'termsAndConditions',
  'isStoreLocator',
] as const;

/** A post without place and time. */
export type TemplateContent = Pick<PostContent, (typeof fields)[number]>;

const { directories, ...given } = Type.Pick(NewPost, fields).properties;

export const NewTemplateContent = Type.Object(
  { ...given, directories: Type.Optional(directories) },
  {
    title: 'NewSocialTemplateContent',
    examples: [{ type: 'OFFER', title: 'Two for one', description: 'Every Tuesday', couponCode: 'TUESDAY' }],
  },
);
export const TemplateContentChange = Type.Object(Type.Pick(PostChange, fields).properties, {
  title: 'SocialTemplateContentChange',
});
export const TemplateContentAnswer = Type.Object(Type.Pick(SocialPostAnswer, fields).properties, {
  title: 'SocialTemplateContent',
});

export const newTemplate = (input: Static<typeof NewTemplateContent>): TemplateContent =>
  checked(newContent({ directories: [], ...input }, new Date(0)), input);

/** null deletes a field, a field that is absent stays. */
export const changedTemplate = (
  before: TemplateContent,
  patch: Static<typeof TemplateContentChange>,
): TemplateContent =>
  checked(
    changedContent({ ...newContent({ directories: [] }, new Date(0)), ...before }, patch as PostPatch, new Date(0)),
    patch,
  );

/** The rules of posts hold for what a template has of one. */
function checked(content: PostContent, given: { callToActions?: unknown[] | null }): TemplateContent {
  if (content.directories.length === 0 && (given.callToActions ?? []).length > 0) throw actionsWithoutDirectory;
  const errors = wordingErrors(content, directoryList).map(({ field, ...rest }) => ({
    field: `content.${field}`,
    ...rest,
  }));
  if (errors.length > 0) {
    const isMissing = errors.some(({ rule }) => rule === 'required');
    throw new Problem(isMissing ? 'MISSING_PARAMETER' : 'INVALID_PARAMETER', { errors });
  }
  return Object.fromEntries(fields.map((name) => [name, content[name]])) as unknown as TemplateContent;
}

const posting = directoryList.filter(({ postMaxLength }) => postMaxLength > 0).map(({ type }) => type);

const actionsWithoutDirectory = new Problem('MISSING_PARAMETER', {
  errors: [
    {
      field: 'content.directories',
      rule: 'required',
      message:
        'content.directories is required with content.callToActions, which are for directories: ' +
        `give one or more of ${posting.join(', ')}.`,
    },
  ],
});

export const templateContentAnswer = (content: TemplateContent): Static<typeof TemplateContentAnswer> =>
  Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null)) as Static<
    typeof TemplateContentAnswer
  >;
