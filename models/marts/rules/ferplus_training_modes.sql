{{ config(enabled=project_name == 'dissent') }}

{%- set emotions = ['neutral', 'happiness', 'surprise', 'sadness', 'anger', 'disgust', 'fear', 'contempt'] -%}

with

images as (

    select * from {{ ref('dissent', 'int_ferplus__images') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

-- Cells of one vote are zeroed before anything else; unknown and NF take part.
cells as (

    {% for column in emotions + ['unknown', 'nf'] %}
    select
        dataset_id,
        item_id,
        {{ 'true' if column in emotions else 'false' }} as is_emotion,
        case when {{ column }} > 1 then {{ column }} else 0 end as votes
    from images
    {% if not loop.last %}union all{% endif %}
    {% endfor %}

),

-- For each cell what lies above it: the modes take cells from the most voted down, equal ones together.
ranked as (

    select
        dataset_id,
        item_id,
        is_emotion,
        votes,
        sum(votes) over (partition by dataset_id, item_id) as total_votes,
        max(votes) over (partition by dataset_id, item_id) as top_votes,
        coalesce(sum(votes) over above, 0) as votes_above,
        count(*) over above as cells_above,
        count(*) filter (where not is_emotion) over above as no_emotion_above
    from cells
    where votes > 0
    window above as (
        partition by dataset_id, item_id
        order by votes desc
        range between unbounded preceding and 1 preceding
    )

),

-- probability and crossentropy go on until three quarters of the votes or three labels are taken; unknown or NF
-- ends it and counts only where nothing was taken before.
taken as (

    select
        *,
        is_emotion and 4 * votes_above < 3 * total_votes and cells_above < 3 and no_emotion_above = 0 as in_probability,
        10 * votes >= 3 * total_votes as in_multi_target
    from ranked

),

judged as (

    select
        dataset_id,
        item_id,
        max(total_votes) as total_votes,
        max(top_votes) as top_votes,
        max(case when is_emotion then votes else 0 end) as top_emotion_votes,
        coalesce(sum(votes) filter (where in_probability), 0) as probability_votes,
        count(*) filter (where in_probability) as probability_labels,
        coalesce(sum(votes) filter (where in_multi_target), 0) as multi_target_votes
    from taken
    group by dataset_id, item_id

),

verdicts as (

    select
        dataset_id,
        -- The first of equal maxima counts, and emotions come first.
        top_emotion_votes = top_votes and 2 * top_votes > total_votes as kept_majority,
        2 * probability_votes > total_votes and probability_labels <= 3 as kept_probability,
        top_emotion_votes = top_votes and 2 * multi_target_votes > total_votes as kept_multi_target
    from judged

),

counted as (

    select
        images.dataset_id,
        count(*) as images
    from images
    group by images.dataset_id

),

kept as (

    select
        dataset_id,
        count(*) filter (where kept_majority) as majority,
        count(*) filter (where kept_probability) as probability,
        count(*) filter (where kept_probability) as crossentropy,
        count(*) filter (where kept_multi_target) as multi_target
    from verdicts
    group by dataset_id

)

{% for mode in ['majority', 'probability', 'crossentropy', 'multi_target'] %}
select
    counted.dataset_id,
    '{{ mode }}' as mode,
    counted.images,
    -- No row is kept where every cell of every image had one vote.
    coalesce(kept.{{ mode }}, 0) as images_kept,
    provenance.provenance
from counted
left join kept
    on counted.dataset_id = kept.dataset_id
left join provenance
    on counted.dataset_id = provenance.dataset_id
{% if not loop.last %}union all{% endif %}
{% endfor %}
